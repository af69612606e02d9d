//! -n
#error this must not be
BEGIN {}
