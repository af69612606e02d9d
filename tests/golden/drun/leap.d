#pragma D option quiet
tick-1ms { n++; }
message-send { printf("%d\n", n); }
