//! -n
BEGIN { x = (struct nosuch *)1; trace(*x); }
