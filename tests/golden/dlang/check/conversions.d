int8_t c; uint16_t h; unsigned int u; long l; uint64_t q;
BEGIN
{
	x = c + h; x = u + c; l = u + l; q = l + q; q = -u;
	l = c < u; l = q > l; l = c << u; l = u >> c;
	c = l; h = c; u = c; l = u; q = c;
	this->s = "a"; l = this->s == "b"; l = this->s != NULL; l = strlen(this->s) + c;
	l = c ? u : q;
}
