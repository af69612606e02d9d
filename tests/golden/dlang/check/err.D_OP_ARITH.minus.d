//! -n
BEGIN { -"a"; }
