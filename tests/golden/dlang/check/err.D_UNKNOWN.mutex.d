//! -n
BEGIN { mutex_owned(1); }
