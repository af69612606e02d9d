//! -n
enum e { A = pid }; BEGIN {}
