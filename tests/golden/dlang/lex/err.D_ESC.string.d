//! -n
BEGIN { trace("\xg"); }
