//! -n
erlang*:::odd-types { trace(args[0]); }
