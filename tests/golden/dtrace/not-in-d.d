#pragma D option cpppath=/nowhere
BEGIN { exit(0); }
