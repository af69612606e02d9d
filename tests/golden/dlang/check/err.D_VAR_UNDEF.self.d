//! -n
BEGIN { this->a = 1; } BEGIN { trace(self->a); }
