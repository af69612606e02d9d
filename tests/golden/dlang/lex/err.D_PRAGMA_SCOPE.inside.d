//! -n
BEGIN {
#pragma D option quiet
}
