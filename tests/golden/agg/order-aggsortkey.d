#pragma D option quiet
BEGIN { @b["late"] = count(); @a["k", 1] = sum(10); @a["k", 2] = sum(5); @a["j", 9] = sum(7); @a["j", 3] = sum(7); }
