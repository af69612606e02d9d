//! -n
#pragma D option quiet