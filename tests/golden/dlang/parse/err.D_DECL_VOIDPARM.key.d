//! -n
int x[void]; BEGIN {}
