//! -n
typedef nosuch foo; BEGIN {}
