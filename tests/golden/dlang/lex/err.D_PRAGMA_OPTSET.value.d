//! -n
#pragma D option badvalue=7
BEGIN {}
