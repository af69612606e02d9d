//! -n
struct foo { int a; }; BEGIN { trace(offsetof(struct foo, b)); }
