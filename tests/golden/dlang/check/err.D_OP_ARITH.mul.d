//! -n
BEGIN { x = "a" * 2; }
