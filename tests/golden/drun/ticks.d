#pragma D option quiet
BEGIN { printf("BEGIN at %d\n", timestamp); }
tick-500ms { printf("tick-500ms at %d\n", timestamp); }
tick-1s { printf("tick-1s at %d\n", timestamp); }
profile-1 { @[probename, eproc == NULL ? "-" : eproc] = count(); }
message-send { printf("message at %d\n", timestamp); }
END { printf("END at %d\n", timestamp); }
