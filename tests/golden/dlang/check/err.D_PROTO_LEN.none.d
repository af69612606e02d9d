//! -n
BEGIN { strlen(); }
