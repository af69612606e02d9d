//! -n
BEGIN { trunc(1); }
