//! -n
erlang*:::message-send { trace(args[9]); }
