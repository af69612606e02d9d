# 1 "/some/where.h" 1
int header_var;
# 10 "script.d" 2
#pragma D option quiet
#pragma D attributes Stable/Stable/Common header_var
#pragma D binding "1.0" header_var
#pragma D depends_on provider erlang
#pragma D ident "io.d"
#pragma other things
#ident "what"
#line 20 "other.d"
BEGIN { header_var = 1; }
