/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm_dir.h - a directory for regions that goes with its test; make_dir and remove_dir
 * are a cmocka test's setup and teardown
 */
#ifndef BEAMTAP_TESTS_SHM_DIR_H
#define BEAMTAP_TESTS_SHM_DIR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char dir[] = "/dev/shm/btap-test-XXXXXX";

static inline int make_dir(void **state)
{
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
	char cmd[100];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return system(cmd);
}

#endif /* BEAMTAP_TESTS_SHM_DIR_H */
