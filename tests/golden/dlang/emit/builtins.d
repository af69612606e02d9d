BEGIN
{
	trace(caller); trace(cpu); trace(cwd); trace(epid); trace(errno); trace(execname); trace(gid); trace(id); trace(ipl); trace(pid);
	trace(ppid); trace(probefunc); trace(probemod); trace(probename); trace(probeprov); trace(root); trace(stackdepth); trace(tid);
	trace(timestamp); trace(ucaller); trace(uid); trace(ustackdepth); trace(vtimestamp); trace(walltimestamp); trace(zonename);
	trace(arg0); trace(arg9);
}
