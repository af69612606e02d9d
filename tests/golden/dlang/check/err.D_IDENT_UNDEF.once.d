//! -n
BEGIN { trace(y); trace(y + 1); trace(z); }
