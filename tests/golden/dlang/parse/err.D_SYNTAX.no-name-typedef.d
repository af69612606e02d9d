//! -n
typedef int (*); BEGIN {}
