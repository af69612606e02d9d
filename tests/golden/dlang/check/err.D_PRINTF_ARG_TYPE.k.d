//! -n
BEGIN { printf("%k", 1); }
