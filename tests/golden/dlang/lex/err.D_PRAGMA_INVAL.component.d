//! -n
#pragma D attributes Stable/Stable/Common provider erlang colour
BEGIN {}
