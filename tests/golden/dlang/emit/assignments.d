struct s { int a; unsigned b:4; string t; struct s *n; int v[3]; }; struct s g; int arr[4]; struct s many[int]; char *p; int *ip;
BEGIN
{
	x = y = 3; x += 2; x <<= 1; 
}
BEGIN
{
	g.a = 1; g.a += 2; g.a++; ++g.a; g.b = 3; g.b += 1; g.b++; z = g.b++; g.t = "text"; trace(g.t); g.v[1] = 2; g.v[x] = 3; trace(g.v[x]);
	many[1].a = 5; many[2] = many[1]; g = many[1]; trace(many[1].a);
	arr[x] = 1; arr[2]++; w = arr[3]--; m[1, "a"]++; m[1, "a"] += x; w = m[1, "a"]++; m[2, "b"] *= 3; m[1, "a"] -= 2;
	p = (char *)alloca(10); p++; p += 3; *p = 65; *p++ = 66; p[1] = 67; w = *p; ip = (int *)p; ip++; ip[x] = 1; w = ip - (int *)p;
	g.n = (struct s *)p; g.n->a = 1; bcopy(p, ip, 4);
	self->a = 1; self->a++; self->m[1] = 2; eself->t = timestamp; eself->k["a"]++; this->u = self->a + eself->t;
}
