enum e { A, B = 5 };
struct t { int z; enum e q; };
union u { int i; char c[4]; };
struct s { int a; struct t n; struct t *p; char str[8]; int arr[3]; unsigned char uc; union u u; int b1:3; int b2:5; };
BEGIN
{
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->a = 7;
	this->s->n.q = B;
	this->s->str[0] = 'A';
	this->s->str[2] = '\'';
	this->s->arr[1] = -2;
	this->s->uc = 200;
	this->s->u.i = 0x41424344;
	this->s->b2 = -3;
	print(this->s);
}
BEGIN { this->z = (struct t *)alloca(sizeof (struct t)); print(this->z); }
