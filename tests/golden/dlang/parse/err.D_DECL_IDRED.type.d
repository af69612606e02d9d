//! -n
int a; string a; BEGIN {}
