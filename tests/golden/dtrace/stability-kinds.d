dtrace:::BEGIN, profile:::tick-1s, erlang*:::process-exit { } END, erlang1:::message-send { }
