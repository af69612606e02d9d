BEGIN { trace(1); setopt("bufsize", "4k"); setopt("cpp"); setopt("nosuch", "x"); setopt("switchrate", "fast"); exit(0); }
