//! -n
BEGIN { printf("%p", "a"); }
