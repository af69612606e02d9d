//! -n
#pragma D binding "1.0"
BEGIN {}
