BEGIN { setopt("quiet"); trace(1); }
BEGIN { trace(2); }
BEGIN { setopt("quiet", "no"); setopt("nosuch"); }
BEGIN { trace(3); }
