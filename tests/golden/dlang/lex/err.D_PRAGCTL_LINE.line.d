//! -n
#line abc
BEGIN {}
