#pragma D option quiet
#pragma D option aggsortpos=1
BEGIN { @a["k"] = sum(10); @b["k"] = sum(5); @a["j"] = sum(7); @b["j"] = sum(9); @a["i"] = sum(1); printa(@a, @b); }
