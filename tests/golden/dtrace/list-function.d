erlang$1:lists:map:, erlang$1:::process-exit { }
erlang4242:lists:map:function-return { }
