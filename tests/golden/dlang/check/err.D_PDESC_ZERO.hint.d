//! -n
erlang*:::message-sent { nofunc(); }
