//! -n
#pragma D depends_on weather sun
BEGIN {}
