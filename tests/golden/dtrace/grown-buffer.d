BEGIN { trace("text"); }
