//! -n
#pragma D option amin=Evolving/Evolving/Common
erlang*:::message-send { }
erlang4711:::message-send { }
dtrace:::BEGIN, process-exit { }
