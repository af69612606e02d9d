message-send { printf("%s %s %d|%s|%s", copyinstr(arg0), copyinstr(arg1), arg2, args[0], args[1]); }
process-exit { printf("%s %s", copyinstr(arg1), args[1]); }
process-spawn { printf("%s %s %s", args[0], args[1], args[2]); }
port-open { printf("%s %s %s", copyinstr(arg0), copyinstr(arg1), args[2]); }
gc_major-end { trace(arg1); trace(args[1]); trace(arg5); }
