message-send { jstack(); stack(); @[jstack()] = count(); }
