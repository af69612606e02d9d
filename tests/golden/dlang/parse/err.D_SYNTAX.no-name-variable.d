//! -n
int (*)[3]; BEGIN {}
