//! -n
struct foo { int a; }; BEGIN { trace(((struct foo *)0)->b); }
