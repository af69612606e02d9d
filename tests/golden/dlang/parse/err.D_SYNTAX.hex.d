//! -n
BEGIN { trace(0x); }
