//! -n
foo:::bar { trace(1); }
