// SPDX-License-Identifier: Apache-2.0
/* btapw_lease_test.c - the writer: what readers want of it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "lib/writer_map.h"

/* What of the first 64 events goes into the ring. */
static uint64_t on_mask(const struct btap_ctl *ctl)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < 64; i++)
		mask |= (uint64_t)(ctl->on[i] & BTAP_ON_RING) << i;
	return mask;
}

/* A reader made by hand: a lock and a page. */
struct hand {
	int fd;
	struct btap_region_hdr h;
	unsigned char *map;
	struct btap_lease *lease;
	struct btap_answer *answer;
};

static void open_hand(struct hand *x, struct btapw_map *m)
{
	struct flock fl = { .l_type = F_WRLCK, .l_start = (off_t)BTAP_LOCK_LEASE, .l_len = 1 };

	x->fd = open(btapw_map_path(m), O_RDWR);
	assert_int_equal(pread(x->fd, &x->h, sizeof(x->h), 0), sizeof(x->h));
	x->map = malloc(BTAP_PAGE);
	x->lease = (struct btap_lease *)x->map;
	memset(x->map, 0, BTAP_PAGE);
	assert_int_equal(fcntl(x->fd, F_OFD_SETLK, &fl), 0);
}

static void store_lease(struct hand *x)
{
	assert_int_equal(pwrite(x->fd, x->map, BTAP_PAGE, (off_t)x->h.lease_off), BTAP_PAGE);
}

static struct btap_answer read_answer(struct hand *x)
{
	struct btap_answer a;

	assert_int_equal(pread(x->fd, &a, sizeof(a), (off_t)x->h.answer_off), sizeof(a));
	return a;
}

static void leases_come_change_and_go(void **state)
{
	struct btapw_map *m = new_map();
	const struct btap_ctl *ctl = btapw_map_ctl(m);
	struct btapw_leases *ls = calloc(1, sizeof(*ls));
	uint64_t all[BTAP_MASK_WORDS] = { ~0ull, ~0ull, ~0ull, ~0ull };
	struct hand x;

	assert_int_equal(btapw_map_leases(m, ls), 0);
	assert_true(ctl->off_since_ns != 0);
	btapw_map_enable(m, all); /* nobody wants anything */
	assert_int_equal(on_mask(ctl), 0);

	open_hand(&x, m);
	x.lease->gen = 1; /* being written */
	x.lease->want[0] = 0xff;
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 0);
	x.lease->gen = 2;
	strcpy(x.lease->who, "me\n\x1b");
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_true(ls->lease[0].is_alive);
	assert_string_equal(ls->lease[0].who, "me??");
	assert_int_equal(ls->want[0], 0xfe);
	assert_int_equal(on_mask(ctl), 0);
	btapw_map_enable(m, all);
	assert_int_equal(on_mask(ctl), 0xfe);
	assert_int_equal(ctl->off_since_ns, 0);
	btapw_map_answer(m, 0, 2, 0, 5, all, "yes");
	assert_int_equal(read_answer(&x).gen, 2);
	assert_string_equal(read_answer(&x).text, "yes");

	/* Being changed: as it was.  Then fewer wishes: off at once. */
	x.lease->gen = 3;
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 0);
	assert_int_equal(on_mask(ctl), 0xfe);
	x.lease->gen = 4;
	x.lease->want[0] = 0x0e;
	x.lease->spec_len = 4;
	memcpy(x.lease->spec, "a:b/", 4);
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_int_equal(on_mask(ctl), 0x0e);
	assert_string_equal(ls->lease[0].spec, "a:b/");

	/* Nonsense is answered, once, and is no lease. */
	x.lease->gen = 6;
	x.lease->spec_len = BTAP_LEASE_SPEC_MAX + 1;
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_false(ls->lease[0].is_alive);
	assert_int_equal(on_mask(ctl), 0);
	assert_int_equal(read_answer(&x).gen, 6);
	assert_int_equal(read_answer(&x).error, -EINVAL);
	x.lease->gen = 8;
	x.lease->spec_len = BTAP_LEASE_SPEC_MAX;
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_true(ls->lease[0].is_alive);

	/* The heart stops: off after the time to live, which is a second at least. */
	btapw_map_enable(m, all);
	assert_int_equal(on_mask(ctl), 0x0e);
	usleep(700000);
	assert_int_equal(btapw_map_leases(m, ls), 0);
	usleep(500000);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_int_equal(on_mask(ctl), 0);
	assert_true(ctl->off_since_ns != 0);
	/* And beats again. */
	x.lease->heartbeat_ns = UINT64_MAX;
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_true(ls->lease[0].is_alive);
	/* The reader goes; what it wrote stays, and does not come back with the next holder of the lock. */
	close(x.fd);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_false(ls->lease[0].is_alive);
	free(x.map);
	open_hand(&x, m);
	assert_int_equal(btapw_map_leases(m, ls), 0);
	close(x.fd);
	free(x.map);
	free(ls);
	btapw_map_free(m);
}

static unsigned int stack_bits(const struct btap_ctl *ctl)
{
	unsigned int mask = 0;

	for (unsigned int i = 0; i < 32; i++)
		mask |= (unsigned int)(!!(ctl->on[i] & BTAP_ON_STACK)) << i;
	return mask;
}

/* @is_able: the VM has stacks */
static void lease_with_stacks(bool is_able)
{
	struct btapw_map_opts o = { .dir = dir, .ring_bytes = 64 << 10 };
	struct btapw_leases *ls = calloc(1, sizeof(*ls));
	uint64_t all[BTAP_MASK_WORDS] = { ~0ull, ~0ull, ~0ull, ~0ull };
	char why[BTAPW_WHY_MAX];
	const struct btap_ctl *ctl;
	struct btapw_map *m;
	struct hand x;

	memset(o.facts.able, 0xff, sizeof(o.facts.able));
	if (!is_able)
		o.facts.able[BTAP_EV_stack / 64] &= ~(1ull << BTAP_EV_stack % 64);
	assert_int_equal(btapw_map_new(&m, &o, why), 0);
	ctl = btapw_map_ctl(m);
	open_hand(&x, m);
	x.lease->gen = 2;
	x.lease->want[0] = 0x1e;
	x.lease->stack[0] = 0x36; /* of what it wants only */
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_int_equal(ls->lease[0].stack[0], is_able ? 0x16 : 0);
	/* Not before the event itself. */
	assert_int_equal(stack_bits(ctl), 0);
	btapw_map_enable(m, all);
	assert_int_equal(on_mask(ctl), 0x1e);
	assert_int_equal(stack_bits(ctl), is_able ? 0x16 : 0);
	btapw_map_answer(m, 0, 2, 0, 0, all, "yes");
	if (is_able)
		assert_string_equal(read_answer(&x).text, "yes");
	else
		assert_string_equal(read_answer(&x).text,
				    "this VM does not tell the stacks of Erlang functions: it needs"
				    " beamtap's hooks for that; yes");
	btapw_map_answer(m, 0, 2, 0, 0, all, NULL);
	assert_int_equal(strlen(read_answer(&x).text) != 0, !is_able);
	/* Of fewer events. */
	x.lease->gen = 4;
	x.lease->stack[0] = 0x04;
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_int_equal(stack_bits(ctl), is_able ? 0x04 : 0);
	/* The event goes, and its stack with it. */
	x.lease->gen = 6;
	x.lease->want[0] = 0x02;
	store_lease(&x);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_int_equal(stack_bits(ctl), 0);
	assert_int_equal(on_mask(ctl), 0x02);
	btapw_map_answer(m, 0, 6, 0, 0, all, NULL);
	assert_string_equal(read_answer(&x).text, "");
	/* With its end, too. */
	x.lease->gen = 8;
	x.lease->stack[0] = 0x02;
	store_lease(&x);
	btapw_map_leases(m, ls);
	assert_int_equal(stack_bits(ctl), is_able ? 0x02 : 0);
	close(x.fd);
	assert_int_equal(btapw_map_leases(m, ls), 1);
	assert_int_equal(stack_bits(ctl), 0);
	assert_int_equal(on_mask(ctl), 0);
	btapw_map_close(m);
	assert_int_equal(stack_bits(ctl), 0);
	free(x.map);
	free(ls);
	btapw_map_free(m);
}

static void stacks_go_with_their_events(void **state)
{
	lease_with_stacks(true);
}

static void who_has_no_stacks_says_so(void **state)
{
	lease_with_stacks(false);
}

#define T(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(leases_come_change_and_go),
		T(stacks_go_with_their_events),
		T(who_has_no_stacks_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
