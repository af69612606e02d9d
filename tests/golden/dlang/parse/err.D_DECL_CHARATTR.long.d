//! -n
long char x; BEGIN {}
