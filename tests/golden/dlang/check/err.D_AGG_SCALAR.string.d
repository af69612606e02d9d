//! -n
BEGIN { @a = sum("x"); }
