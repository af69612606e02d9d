//! -n
struct foo { int *a:4; }; BEGIN {}
