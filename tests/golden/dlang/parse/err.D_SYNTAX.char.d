//! -n
BEGIN { trace('ab); }