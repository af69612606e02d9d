//! -n
int a[3]; BEGIN { a[5] = 1; }
