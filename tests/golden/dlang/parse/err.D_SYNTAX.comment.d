//! -n
BEGIN { } /* not closed