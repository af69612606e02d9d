//! -n
BEGIN { @a = count(); @a; }
