//! -n
BEGIN { trace(offsetof(int, a)); }
