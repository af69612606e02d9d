//! -f
dtrace:x:y { trace(1); }
