//! -n
BEGIN { printf("%d"); }
