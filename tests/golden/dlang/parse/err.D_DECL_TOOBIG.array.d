//! -n
int a[1000000]; BEGIN {}
