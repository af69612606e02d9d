//! -P
a:b { trace(1); }
