//! -n
BEGIN { printf("%Y", 0); }
