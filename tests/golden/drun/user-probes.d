user_trace-s1 { printf("%s", copyinstr(arg0)); }
user_trace-n7
{
	printf("%s %s %d %d %s [%s] %s", copyinstr(arg0), arg1 == NULL ? "" : copyinstr(arg1), arg2, arg3, copyinstr(arg6),
	    arg8 == NULL ? "none" : copyinstr(arg8), copyinstr(arg9));
}
user_trace-n8 { printf("%d %s", arg1 == 0, args[0]); }
user-probe { printf("%s %d %d %s", args[1], arg2, arg3, copyinstr(arg4)); }
user_trace-n7, user_trace-n8 { @[probename] = count(); }
