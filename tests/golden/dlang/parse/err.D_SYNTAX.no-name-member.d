//! -n
struct s { int (*); }; BEGIN {}
