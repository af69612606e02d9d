//! -n
inline int x = "a"; BEGIN {}
