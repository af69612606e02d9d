struct s { int a; }; struct s g; char text[8];
BEGIN
{
	trace(1); trace("a"); trace(g); trace(text); trace(timestamp); trace((char)1); trace(uid);
	printf("%d %5s|%-10x|%*d|%.3d %%\n", 1, "a", 255, 8, x++, 7);
	printf("%hd %ld %llx %c %p %a %S %Y %T %k %s", (short)1, (long)2, 3ll, 65, 4, 5, "q", walltimestamp, timestamp, stack(), text);
	print((struct s *)arg0); tracemem(arg0, 16); tracemem(arg0, 16, 4); stack(); stack(5); ustack(); ustack(5, 100); jstack();
	sym(arg0); usym(ucaller); umod(ucaller); uaddr(ucaller); func(arg0); mod(arg0);
	system("echo %s %d", "a", 1); freopen("/tmp/x.%d", pid); ftruncate(); raise(9); setopt("quiet"); setopt("a", "b"); exit(3);
}
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); trace(1); }
BEGIN { commit(self->s); }
BEGIN { discard(self->s); }
BEGIN { }
END { x = 1; }
