BEGIN
{
	x = strlen("a"); x = index("ab", "b"); x = rindex("ab", "b", 1); x = rand(); x = progenyof(1); x = getmajor(arg0);
	x = htons(1); x = htonl(1); x = htonll(1); x = ntohs(x); x = strtoll("12"); x = strtoll("ff", 16);
	s = basename("/a/b"); s = dirname(s); s = cleanpath(s); s = strchr(s, 'a'); s = strrchr(s, 'b'); s = strstr(s, "c");
	s = toupper(s); s = tolower(s); s = strjoin(s, s); s = inet_ntop(2, alloca(4)); s = inet_ntoa(alloca(4)); s = inet_ntoa6(alloca(16));
	copyinto(arg0, 4, alloca(4)); p = copyin(arg0, 8); copyout(p, arg0, 4); copyoutstr(s, arg0, 4); bcopy("abc", p, 3);
}
