//! -n
BEGIN { ustack(-1); }
