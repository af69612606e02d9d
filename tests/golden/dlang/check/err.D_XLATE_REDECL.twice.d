//! -n
struct in { int a; }; struct out { int b; string s; int c; }; translator struct out <struct in *i> { b = i->a; s = "x"; };
translator struct out <struct in *i> { b = 1; }; BEGIN {}
