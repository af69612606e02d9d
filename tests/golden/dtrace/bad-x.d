BEGIN { }
