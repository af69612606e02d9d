//! -n
BEGIN { trace("abc); }