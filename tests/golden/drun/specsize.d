#pragma D option quiet
#pragma D option specsize=300
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); trace("aaaa"); }
BEGIN { speculate(self->s); trace("bbbb"); }
BEGIN { commit(self->s); }
