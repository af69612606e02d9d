BEGIN { setopt("quiet"); trace(1); }
BEGIN { trace(2); }
BEGIN { setopt("quiet", "no"); setopt("nosuch"); setopt("quiet", "maybe"); }
BEGIN { setopt("strsize", "8"); setopt("defaultargs"); setopt("aggrate", "10ms"); setopt("stackindent"); }
BEGIN { trace("a string of more than 8"); }
BEGIN { @a["x"] = sum(2); @a["y"] = sum(1); setopt("aggsortrev"); printa(@a); }
BEGIN { setopt("aggsortrev", "off"); setopt("aggsortkey"); setopt("flowindent"); printa(@a); }
BEGIN { trace(3); }
