//! -n
#pragma D option version=1.2
BEGIN { trace(strtok("a b", " ")); trace(htons(1)); trace(ustackdepth); @ = stddev(1); setopt("quiet"); trace(enode); }
