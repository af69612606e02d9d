//! -n
translator struct b <struct c *d> { e = 1; }; BEGIN {}
