//! -n
BEGIN { trace(xlate<struct b>(1)); }
