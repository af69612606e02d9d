//! -n
#pragma D option amin=stable/Stable/common
#pragma D attributes Unstable/Stable/Common mine
#pragma D attributes Stable/Stable/Group grouped
int mine, fine, array[int];
dtrace:::BEGIN
/eproc != NULL/
{
	fine = htons(mine);
	grouped[1] = 2;
	@mine = sum(array[0] + pid + arg0);
	trace(fine);
	self->mine = 1;
}
