//! -n
struct foo { int a; int a; }; BEGIN {}
