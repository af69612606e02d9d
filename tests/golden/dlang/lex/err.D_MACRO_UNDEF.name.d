//! -n
BEGIN { trace($foo); }
