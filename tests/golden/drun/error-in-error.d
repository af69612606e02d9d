ERROR { trace("E"); }
ERROR { trace(*(int *)0); }
BEGIN { this->x = 7; }
BEGIN { trace(*(int *)0); }
BEGIN { trace(this->x); }
