erlang*:::message-send { self->t = timestamp; }
erlang*:::message-receive /self->t/ { trace(timestamp - self->t); self->t = 0; }
