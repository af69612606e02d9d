/* the ename of a process; some eproc = nothing */
// string ename
BEGIN
{
	printf("my eproc = %s, ename[1]", eproc);
	trace(sizeof ename); trace(stringof (efunc)); trace(strlen(ename));
}
