//! -n
erlang*:::process-* { trace(args[0]); trace(args[1]); }
