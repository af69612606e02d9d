//! -n
BEGIN { stack(-1); }
