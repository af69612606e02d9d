//! -n
BEGIN { strlen(1); }
