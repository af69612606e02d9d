/* How long a process has run: its turns, without the time between them. */
BEGIN { printf("%d\n", vtimestamp); }
message-send { printf("%d: %s has run %d\n", args[2], args[0], vtimestamp); }
process-unscheduled, dirty-unscheduled, process-exit { printf("%s: %d\n", probename, vtimestamp); }
