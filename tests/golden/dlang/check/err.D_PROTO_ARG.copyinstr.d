//! -n
erlang*:::message-send { trace(copyinstr(args[0])); }
