#pragma D option quiet
#pragma D option aggsize=512
message-send { @[arg2] = count(); }
