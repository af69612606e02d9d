#pragma D option quiet
#define TWICE(x) ((x) * 2)
#ifdef GIVEN
BEGIN { printf("%d %d", TWICE(GIVEN), __LINE__); }
#endif
