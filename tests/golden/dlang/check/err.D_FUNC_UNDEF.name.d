//! -n
BEGIN { nofunc(); strlenn("a"); x = other(1); }
