#pragma D option quiet
int total;
self int last;
BEGIN { nothing["y"] = "z"; }
message-send { total += arg2; self->last = arg2; eself->sent++; by[copyinstr(arg0), arg2 > 5]++; this->x = 3; }
message-send { printf("total %d self %d eself %d by %d this %d\n", total, self->last, eself->sent, by[copyinstr(arg0), arg2 > 5], this->x); this->x++; }
message-send { printf("this %d\n", this->x); }
gc_major-start { start[arg0] = timestamp; self->in = "gc"; }
gc_major-end /start[arg0]/ { printf("gc took %d on thread with %s\n", timestamp - start[arg0], self->in); start[arg0] = 0; self->in = NULL; }
process-exit { printf("unset: [%s] [%s] %d %d\n", nothing["x"], self->in, self->last == 0, start[arg0]); }
END { printf("%d %s\n", total, nothing["y"]); }
