erlang*:::message-sned { }
