//! -n
BEGINX { trace(1); }
