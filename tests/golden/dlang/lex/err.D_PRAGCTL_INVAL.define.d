//! -n
#define X 5
BEGIN {}
