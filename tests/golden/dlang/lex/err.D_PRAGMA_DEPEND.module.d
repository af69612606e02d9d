//! -n
#pragma D depends_on module vmlinux
BEGIN {}
