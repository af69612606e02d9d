//! -n
BEGIN { x = trace(1); }
