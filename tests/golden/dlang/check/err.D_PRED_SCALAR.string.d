//! -n
BEGIN /"a"/ { trace(1); }
