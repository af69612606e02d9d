//! -n
BEGIN { panic(); breakpoint(); }
