//! -n
BEGIN { struct foo *p; }
