BEGIN { trace("start"); }
erlang*:lists::local-function-entry,
erlang*:lists::function-return { trace(arg2); }
message-send { printf("%d", arg2); }
END { trace("e"); }
