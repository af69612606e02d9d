BEGIN { @a["x"] = sum(10); printa(@a); printa("v=%@d\n", @a); }
BEGIN { clear(@a); }
END { printa(@a); trunc(@a); }
