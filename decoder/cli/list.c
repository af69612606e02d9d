// SPDX-License-Identifier: Apache-2.0
/* list.c - beamtap list: the nodes that can be tapped, and the probes of one */
#include "cli/cli.h"

int list_main(int argc, char **argv)
{
	struct diag d = DIAG_INIT;

	diag_fail(&d, -1, "not built into this version");
	return cli_fail("list", &d);
}
