//! -n
typedef int foo; typedef char foo; BEGIN {}
