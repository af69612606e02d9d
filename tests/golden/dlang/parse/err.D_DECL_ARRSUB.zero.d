//! -n
int a[0]; BEGIN { a[0] = 1; }
