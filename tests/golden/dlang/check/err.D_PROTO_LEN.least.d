//! -n
BEGIN { printf(); }
