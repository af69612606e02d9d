//! -i
1 /pid == 0/ { trace(1); }
