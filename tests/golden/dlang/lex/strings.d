BEGIN
{
	trace("plain"); trace("tab\there"); trace("quote \" backslash \\"); trace("octal \101\102");
	trace("hex \x41"); trace("two \
lines"); trace("");
}
