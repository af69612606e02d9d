//! -n
BEGIN { print(alloca(8)); }
