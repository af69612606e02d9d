//! -P
profile { trace(probename); }
