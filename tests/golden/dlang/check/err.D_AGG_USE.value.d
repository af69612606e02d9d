//! -n
BEGIN { @a = count(); x = @a; }
