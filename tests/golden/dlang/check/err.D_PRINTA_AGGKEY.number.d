//! -n
BEGIN { @a["k", 1] = sum(10); @b["k"] = count(); printa("%s %@d %@d\n", @a, @b); }
