message-send { printf("a"); }
message-send /arg2 == 14/ { exit(3); printf("same clause goes on"); }
message-send /arg2 == 14/ { printf("not this one"); }
tick-1ms /0/ { }
END { printf("end"); exit(300); }
