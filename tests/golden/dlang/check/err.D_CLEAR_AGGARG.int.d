//! -n
BEGIN { clear(1); }
