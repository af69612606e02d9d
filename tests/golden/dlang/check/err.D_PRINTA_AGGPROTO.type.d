//! -n
BEGIN { @a["k"] = sum(10); @b[1] = count(); printa(@a, @b); }
