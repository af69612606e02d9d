//! -n
BEGIN { @a[1] = count(); printa("%d %d", @a); }
