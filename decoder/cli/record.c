// SPDX-License-Identifier: Apache-2.0
/* record.c - beamtap record: a node's events into a directory */
#include "cli/cli.h"

int record_main(int argc, char **argv)
{
	struct diag d = DIAG_INIT;

	diag_fail(&d, -1, "not built into this version");
	return cli_fail("record", &d);
}
