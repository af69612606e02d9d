erlang*:::gc_minor-start { trace(1); }
erlang*:::gc_minor-start { trace(2); }
