#pragma D option quiet
#pragma D option strsize=8
BEGIN { x = strjoin("abcdef", "ghijkl"); trace(x); y["abcdefghij"] = 1; printf(" %d %s %d", y["abcdefgxyz"], "0123456789", strlen(x)); }
process-exit { printf(" %s %s", args[1], copyinstr(arg1, 4)); @[copyinstr(arg1)] = count(); }
