//! -n
#pragma D attributes Nice/Stable/Common x
BEGIN {}
