BEGIN { trace(1); trace("abc"); trace(-5); }
BEGIN { printf("a\n"); printf("b"); }
BEGIN { printf("one"); trace(2); printf("three"); }
BEGIN {}
BEGIN / 0 / { trace("never"); }
BEGIN { @ = count(); }
END { printf("done\n"); }
