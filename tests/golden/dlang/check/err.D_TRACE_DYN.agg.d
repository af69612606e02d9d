//! -n
BEGIN { @a = count(); trace(@a); }
