#pragma D attributes Private/Private/Unknown x
int x; BEGIN { x = htons(1); exit(0); }
