//! -n
erlang*:::foo { }
erlang*:::bar { }
erlang*:::message-send { }
erlang*:::baz { }
