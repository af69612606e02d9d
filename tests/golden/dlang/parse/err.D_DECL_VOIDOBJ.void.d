//! -n
void x; BEGIN {}
