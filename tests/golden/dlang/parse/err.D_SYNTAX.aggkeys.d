//! -n
BEGIN { @a[]; }
