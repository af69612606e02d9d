//! -n
enum e { A, A }; BEGIN {}
