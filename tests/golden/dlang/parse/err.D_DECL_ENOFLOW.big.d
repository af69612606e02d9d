//! -n
enum e { A = 5000000000 }; BEGIN {}
