//! -n
BEGIN { trace(args[0]); }
