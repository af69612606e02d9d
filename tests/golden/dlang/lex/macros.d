//! -n args 12 word -7
BEGIN / pid == $pid && $target == 7 /
{
	trace($1); trace($$1); trace($$2); trace($3); trace($$target); $2 = 5; trace($$0);
}
