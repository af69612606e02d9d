//! -n
BEGIN { trace('a
'); }
