//! -n
BEGIN { !"a"; }
