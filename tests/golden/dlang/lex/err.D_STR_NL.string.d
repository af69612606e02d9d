//! -n
BEGIN { trace("ab
"); }
