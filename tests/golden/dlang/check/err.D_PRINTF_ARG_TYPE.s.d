//! -n
BEGIN { printf("%s", 1); }
