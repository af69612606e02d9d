BEGIN { printf("before\n"); system("echo hi %d %s", 3, "x"); printf("after"); }
BEGIN { freopen("/dev/null"); printf("nowhere"); freopen(""); printf("back"); }
