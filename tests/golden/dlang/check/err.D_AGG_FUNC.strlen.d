//! -n
BEGIN { @a = strlen("x"); }
