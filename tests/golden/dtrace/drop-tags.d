#pragma D option aggsize=40
message-send { @[arg2] = count(); }
