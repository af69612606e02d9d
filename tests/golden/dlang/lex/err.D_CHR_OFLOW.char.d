//! -n
BEGIN { trace('abcde'); }
