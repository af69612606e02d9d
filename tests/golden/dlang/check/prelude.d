/* what every script may use, and may declare for itself */
typedef int bool;
typedef struct mine { int a; } u8;
inline int SIGINT = 99;
enum { AF_INET = 77, ENOENT };
int SIGHUP;
u8 v;
BEGIN
{
	v.a = SIGKILL + SIGINT + AF_INET + ENOENT + EPERM;
	SIGHUP = sizeof (bool) + sizeof (u16) + (NULL == 0);
}
