#pragma D option quiet
BEGIN
{
	printf("%s|%s|%s|%s\n", strtok("a,b;c", ",;"), strtok(NULL, ",;"), strtok(NULL, ",;"), substr("hello", 1, 3));
	printf("%d %d %d\n", "a" < "b", "a" == "a", "abc" > "ab");
	printf("%s %s %s\n", basename("/a/b/c"), dirname("/a/b/c"), cleanpath("/a/./b/../c"));
	printf("%s %s %s\n", toupper("aB"), tolower("aB"), lltostr(-12));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(0x123456789abcdef0));
	this->a = (uint8_t *)alloca(16);
	this->a[0] = 192; this->a[1] = 168; this->a[3] = 7;
	printf("%s %s\n", inet_ntoa((void *)this->a), inet_ntop(2, this->a));
}
