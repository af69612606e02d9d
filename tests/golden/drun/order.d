message-send { printf("1"); }
erlang*:::message-send, message-send { printf("2"); }
erlang4242:beam.smp::message-*, gc_major-start { printf("3 %s", probename); }
message-send /arg2 == 4/ { printf("4"); }
