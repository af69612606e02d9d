//! -n
BEGIN { *alloca(4); }
