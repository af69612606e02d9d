BEGIN
{
	eproc = 5;
	efunc[eproc] = 1;
	trace(eproc); trace(efunc[5]); trace(ename); trace(enode);
	this->eself = 1; trace(this->eself);
}
