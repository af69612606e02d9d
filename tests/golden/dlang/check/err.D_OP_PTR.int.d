//! -n
BEGIN { x = 1; x->y; }
