//! -n
struct in { int a; }; struct out { string b; }; translator struct out <struct in *i> { b = i->a; }; BEGIN {}
