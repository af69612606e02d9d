//! -n
#pragma D nosuch foo
BEGIN {}
