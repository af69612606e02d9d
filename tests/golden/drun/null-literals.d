/* 0 is NULL where a string or an address is wanted. */
BEGIN { trace(strtok("a b", " ")); trace(strtok(0, " ")); trace(strtok(0, " ") == 0); }
BEGIN { trace(strlen(0)); }
BEGIN { trace(inet_ntoa(0)); }
ERROR { printf("fault %d", arg4); }
