//! -n
unsigned float x; BEGIN {}
