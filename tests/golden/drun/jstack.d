message-send { jstack(); @[jstack(2)] = count(); }
process-scheduled { ustack(); }
gc_minor-start { jstack(); ustack(); stack(); }
function-entry { jstack(1); }
port-open { jstack(); }
