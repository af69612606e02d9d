//! -n
this int x[int]; BEGIN {}
