//! -n
BEGIN { pid = 1; }
