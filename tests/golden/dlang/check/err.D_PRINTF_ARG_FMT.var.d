//! -n
BEGIN { x = "a"; printf(x); }
