//! -n
BEGIN { chill(1); }
