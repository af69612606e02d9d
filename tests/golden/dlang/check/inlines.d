inline int LIMIT = 5 * 4;
inline string WHO = "me";
inline int twice[int n] = n * 2;
inline string pick[int n, string a, string b] = n > LIMIT ? a : b;
BEGIN
{
	x = twice[twice[x++] + 1] + LIMIT;
	trace(pick[x, WHO, "you"]);
}
