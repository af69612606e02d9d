// SPDX-License-Identifier: Apache-2.0
/* btapw_other.c - a record for a kernel tracepoint or a USDT probe; see btapw_other.h */
#include "btapw_other.h"
#include "btapw_map_int.h"
#include "btapw_usdt.h"
#include <errno.h>
#include <unistd.h>

void btapw_other(struct btapw_map *m, uint8_t on, const uint64_t *rec, unsigned int nr_words)
{
	int err = errno;
	ssize_t n;

	if (!m)
		return;
	if (on & BTAP_ON_TRACEPOINT && m->dev_fd >= 0) {
		btapw_map_str_send(m);
		/* Whether anybody still listens is the kernel's to know. */
		n = write(m->dev_fd, rec, (size_t)nr_words * 8);
		(void)n;
	}
	if (on & BTAP_ON_USDT)
		btapw_usdt_fire(m, rec, nr_words);
	errno = err;
}
