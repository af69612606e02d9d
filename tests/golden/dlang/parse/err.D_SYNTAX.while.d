//! -n
BEGIN { while (1) {} }
