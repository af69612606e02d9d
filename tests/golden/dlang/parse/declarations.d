typedef struct point { int x, y; } point_t;
typedef unsigned long long big_t, *big_p;
struct bits { unsigned int a:3, b:5; int c:10; int :0; char d; unsigned long e:33; };
union u { int i; char c[4]; struct { short lo, hi; }; };
enum color { RED, GREEN = 5, BLUE, };
struct point origin;
point_t table[4], *where;
struct bits flags;
union u both;
self int depth;
this string text;
eself uint64_t started;
uint64_t count_of[string, int, pid_t];
int matrix[2][3];
char *name;
int forgotten(int, char *);
provider mine { probe start(int); probe done(char *, int) ; };
BEGIN
{
	origin.x = RED; origin.y = GREEN;
	table[2].y = BLUE;
	flags.a = 5; flags.c = -3; flags.e = 0x1ffffffffull;
	trace(flags.a); trace(flags.c); trace(flags.e);
	both.i = 0x01020304; trace(both.c[0]); trace(both.lo);
	matrix[1][2] = 7; trace(matrix[1][2]);
	self->depth = 1; this->text = "x"; eself->started = timestamp;
	count_of["a", 1, pid] = 3;
	trace(sizeof(struct bits)); trace(sizeof(union u)); trace(sizeof(matrix)); trace(offsetof(struct bits, d));
	trace(sizeof(point_t)); trace(sizeof(big_t)); trace(sizeof(string)); trace(sizeof("abc"));
}
