#pragma D option zdefs
#pragma D option quiet
nosuch:::probe { }
BEGIN { printf("runs"); }
