//! -n
BEGIN { trace(sizeof(void)); }
