//! -n
BEGIN { "a" < 1; }
