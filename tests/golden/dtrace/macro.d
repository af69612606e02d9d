#pragma D option quiet
BEGIN { printf("%d %s %s", $1, $$2, $$0); }
