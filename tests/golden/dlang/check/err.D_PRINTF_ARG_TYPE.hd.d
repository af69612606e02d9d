//! -n
BEGIN { printf("%hd", 70000); }
