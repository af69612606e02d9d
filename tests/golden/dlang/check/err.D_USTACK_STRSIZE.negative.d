//! -n
BEGIN { jstack(5, -1); }
