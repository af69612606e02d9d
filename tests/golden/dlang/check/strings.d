string g; char buf[16];
BEGIN
/g == NULL || g == "" || "a" < g || g >= "b"/
{
	g = probename; g = buf; this->c = g[2]; this->p = (char *)"text"; this->q = "a" + 1;
	trace(this->p[0]); trace(*this->q); trace((string)this->p); trace(stringof(arg0)); trace(copyinstr(arg0, 10));
	self->s = "x"; self->s = NULL; m["k"] = "v"; m["k"] = 0;
	trace(strlen("abc")); trace(strtok(NULL, ",")); trace(substr("hello", 1)); trace(index("a", "b", 1));
	trace(strjoin(probemod, stringof(buf))); trace(lltostr(-5, 16));
	trace(arg1 == NULL ? "" : copyinstr(arg1));
}
