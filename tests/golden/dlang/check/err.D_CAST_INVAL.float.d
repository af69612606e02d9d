//! -n
BEGIN { x = (float)1; }
