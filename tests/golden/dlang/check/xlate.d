struct in { int a; char name[8]; struct in *next; };
struct out { int b; string s; string who; uint64_t deep; };
translator struct out <struct in *i>
{
	b = i->a * 2;
	s = i->a > 5 ? "big" : "small";
	who = stringof(i->name);
	deep = i->next->next->a;
};
struct in v;
BEGIN
{
	this->p = (struct in *)alloca(sizeof (struct in));
	this->p->a = 21;
	printf("%d %s", xlate<struct out>(this->p).b, xlate<struct out *>(this->p)->s);
	trace(xlate<struct out *>(this->p)->who);
	trace(xlate<struct out *>(this->p->next)->deep);
}
