//! -n
#pragma D option
BEGIN {}
