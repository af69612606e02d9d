/* A server that calls itself, a loss, a process that was deep in calls already: the events say how deep. */
function-entry, function-return, message-send { trace(arg2); }
