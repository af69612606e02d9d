//! -n
BEGIN { @a[nosuch, 1] = count(); @a["x", 2] = count(); @a[3] = count(); }
BEGIN { @b["k", "l"] = sum(1); printa(@a); printa("%s %d %@d", @a); printa(@a, @b); x[none, 2] = 1; x[1] = 5; }
