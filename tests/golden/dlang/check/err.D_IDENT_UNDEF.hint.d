//! -n
BEGIN { trace(timestmp); }
