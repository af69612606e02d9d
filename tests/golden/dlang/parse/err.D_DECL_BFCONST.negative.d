//! -n
struct foo { int a:-1; }; BEGIN {}
