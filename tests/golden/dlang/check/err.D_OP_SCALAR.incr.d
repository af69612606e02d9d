//! -n
BEGIN { "a"++; }
