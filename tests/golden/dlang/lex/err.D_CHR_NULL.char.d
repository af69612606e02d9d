//! -n
BEGIN { trace(''); }
