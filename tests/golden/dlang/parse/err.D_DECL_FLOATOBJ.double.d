//! -n
double x; BEGIN {}
