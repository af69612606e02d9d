//! -n
BEGIN { @a += count(); }
