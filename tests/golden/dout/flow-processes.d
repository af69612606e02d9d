/* Two processes take turns; the depth is each one's own.  Several clauses at one entry or return are one call. */
function-entry, function-return { trace(args[0]); }
function-entry { trace("again"); }
function-return { trace("still"); }
function-return /args[0] == "<0.90.0>"/ { trace("last"); }
END { trace("end"); }
