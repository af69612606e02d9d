BEGIN
{
	trace((char)65); trace((short)3); trace(7); trace((long long)9); trace((unsigned char)200);
	trace((uint64_t)-1); trace("str"); printf("|");
	trace("a text that is longer than its column"); printf("|");
}
struct s { int a; char b[4]; long c; };
struct s x;
struct t { char a[3]; };
struct t y;
BEGIN { x.a = 1; x.b[0] = 65; x.c = -1; trace(x); y.a[0] = 65; trace(y); printf("|"); }
BEGIN
{
	this->p = (char *)alloca(20);
	bcopy("hello world!\n12345", this->p, 19);
	tracemem(this->p, 19);
	tracemem(this->p, 19, 5);
	trace((string)this->p);
}
BEGIN { stack(3); trace(1); ustack(); jstack(); }
