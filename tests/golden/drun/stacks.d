message-send { jstack(); stack(); @[jstack(), copyinstr(arg1)] = count(); }
