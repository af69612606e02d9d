//! -n
#pragma D line
BEGIN {}
