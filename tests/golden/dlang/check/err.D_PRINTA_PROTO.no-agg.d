//! -n
BEGIN { printa("x"); }
