//! -n
struct s { int a[int]; }; BEGIN {}
