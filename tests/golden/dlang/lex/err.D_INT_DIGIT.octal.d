//! -n
BEGIN { trace(09); }
