//! -n
struct in { int a; }; struct out { int b; string s; int c; }; translator struct out <struct in *i> { b = i->a; s = "x"; };
BEGIN { trace(xlate<struct out *>((struct in *)0)->c); }
