//! -n
int a[3]; BEGIN { a[1, 2] = 1; }
