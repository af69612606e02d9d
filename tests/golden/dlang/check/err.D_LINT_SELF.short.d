//! -n
tick-1s { self->a = 1; }
message-send { self->a = 2; }
process-exit { trace(self->a); }
