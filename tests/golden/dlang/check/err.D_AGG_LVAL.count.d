//! -n
BEGIN { x = count(); }
