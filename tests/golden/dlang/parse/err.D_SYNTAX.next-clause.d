//! -n
BEGIN { trace(1 2); }
END { trace(y); }
BEGIN { trace(; }
END { nofunc(); }
