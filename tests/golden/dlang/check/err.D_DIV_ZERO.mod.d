//! -n
BEGIN { trace(x++ % 0); }
