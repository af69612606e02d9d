//! -n
BEGIN { trace(args); }
