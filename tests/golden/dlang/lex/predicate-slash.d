BEGIN / 4 / 2 == (6 / 3) / { trace(1 / 1); }
BEGIN / 1 / /* comment */ { }
BEGIN /1/
{ }
