//! -n
BEGIN { print(1); }
