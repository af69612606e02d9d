//! -n
struct foo { int a:40; }; BEGIN {}
