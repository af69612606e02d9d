//! -n
#pragma D option quiet loud
BEGIN {}
