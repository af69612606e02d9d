//! -n args 1 b
BEGIN { trace($1); }
