//! -n
BEGIN { printf("%@d", 1); }
