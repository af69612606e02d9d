//! -n
BEGIN { tracemem("hello", 3); }
