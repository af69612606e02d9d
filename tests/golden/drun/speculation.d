#pragma D option nspec=2
BEGIN { self->s = speculation(); self->t = speculation(); self->u = speculation(); printf("%d %d %d", self->s, self->t, self->u); }
BEGIN { speculate(self->s); printf("one"); trace(strjoin("a", "b")); }
BEGIN { speculate(self->t); printf("other"); }
BEGIN { speculate(self->s); trace("two"); }
BEGIN { printf("plain"); }
BEGIN { commit(self->s); }
BEGIN { discard(self->t); }
BEGIN { speculate(5); trace("never"); }
