//! -n
BEGIN { trace((void)1); }
