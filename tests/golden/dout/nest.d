BEGIN { trace("start"); }
erlang*:nest:a:, erlang*:nest:b:, erlang*:nest:c:, message-send { printf("%x", arg2); }
