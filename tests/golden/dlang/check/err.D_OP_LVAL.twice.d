//! -n
BEGIN { x++ ++; }
