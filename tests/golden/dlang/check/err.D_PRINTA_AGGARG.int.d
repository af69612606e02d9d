//! -n
BEGIN { @a = count(); printa(@a, 1); }
