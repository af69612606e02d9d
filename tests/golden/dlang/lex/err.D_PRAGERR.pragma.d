//! -n
#pragma D error "nor this"
BEGIN {}
