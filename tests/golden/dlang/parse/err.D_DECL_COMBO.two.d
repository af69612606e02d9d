//! -n
int char x; BEGIN {}
