//! -n
BEGIN { printf("%q", 1); }
