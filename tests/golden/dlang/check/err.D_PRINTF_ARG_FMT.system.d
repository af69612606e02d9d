//! -n
BEGIN { system(1); }
