//! -n
short void x; BEGIN {}
