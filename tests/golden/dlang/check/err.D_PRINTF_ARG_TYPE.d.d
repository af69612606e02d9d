//! -n
BEGIN { printf("%d", "a"); }
