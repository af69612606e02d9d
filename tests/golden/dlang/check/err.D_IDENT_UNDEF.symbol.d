//! -n
BEGIN { `nosuchsym; a`b; }
