//! -n
#pragma D option nosuch
BEGIN {}
