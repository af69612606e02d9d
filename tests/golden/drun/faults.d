BEGIN { i = 0; trace("before"); trace(1 / i); trace("after"); }
BEGIN { trace("next clause"); }
BEGIN { trace(*(int *)0x10); }
BEGIN { this->p = (char *)alloca(10); this->n = 20; trace(this->p[this->n]); }
BEGIN { this->p = (char *)alloca(10); this->n = 20; bcopy("abcdefghijklmnopqrstuvwxyz", this->p, this->n); }
BEGIN { this->n = 100000; this->p = alloca(this->n); }
BEGIN { trace(copyinstr(1)); }
BEGIN { trace(strlen((char *)0)); }
BEGIN { trace(strchr("abc", 'z')); }
int a[3];
BEGIN { i = 5; trace(a[i]); }
BEGIN { trace(5 % i - 5 % (i - 5)); }
END { y = 0; trace(1 / y); }
ERROR { printf("ERROR %d %d %d %x", arg1, arg2, arg4, arg5); }
