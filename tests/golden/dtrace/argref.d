BEGIN { printf("%s", $$1); exit(0); }
