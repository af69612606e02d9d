//! -n
#pragma D attributes Stable/Stable/Common
BEGIN {}
