#pragma D option quiet
/* What ran when events went off is not known to run when they go on again. */
user_trace-s1 { printf("%s: %s\n", copyinstr(arg0), ename == NULL ? "-" : ename); }
