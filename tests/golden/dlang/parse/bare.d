//! -n
BEGIN, END