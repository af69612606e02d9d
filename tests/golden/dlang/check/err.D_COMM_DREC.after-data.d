//! -n
BEGIN { speculate(1); trace(1); commit(1); trace(1); }
