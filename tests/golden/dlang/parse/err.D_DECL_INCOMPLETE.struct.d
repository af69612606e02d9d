//! -n
struct nosuch x; BEGIN {}
