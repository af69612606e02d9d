/* one
 * two */
BEGIN // to the end of the line
{
	trace(/* inside */ 1); // and
	/* / * // */ trace(2);
}
