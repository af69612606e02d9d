//! -i
abc { trace(1); }
