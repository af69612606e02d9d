//! -n
BEGIN { trace(1); }}
