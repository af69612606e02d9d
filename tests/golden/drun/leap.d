#pragma D option quiet
tick-1s { n++; }
message-send { printf("%d\n", n); }
