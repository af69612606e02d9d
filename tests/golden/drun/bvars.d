#pragma D option quiet
message-send
{
	printf("%d %Y pid=%d tid=%d cpu=%d %s esched=%d node=%s\n", timestamp, walltimestamp, pid, tid, cpu, execname, esched, enode);
	printf("%s:%s:%s:%s id=%d\n", probeprov, probemod, probefunc, probename, id);
}
port-open, process-unscheduled, name-register
{
	printf("%s: eproc=%s ename=%s efunc=%s eport=%s\n", probename, eproc == NULL ? "-" : eproc, ename == NULL ? "-" : ename,
	    efunc == NULL ? "-" : efunc, eport == NULL ? "-" : eport);
}
tick-1s { printf("tick %d %s %s\n", timestamp, probename, probeprov); }
