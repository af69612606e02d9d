#pragma D option quiet
#pragma D option dynvarsize=128
message-send { x[arg2] = arg2; }
END { printf("%d %d %d %d\n", x[4], x[14], x[7], x[9]); }
