//! -n
BEGIN { x = y; }
