// SPDX-License-Identifier: Apache-2.0
/* btapw_test.c - the writer: records, texts, turns; the region's file, strings and leases */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <btapw_map.h>

#define SUB  256
#define SUBS 4

struct bed {
	struct btap_ctl ctl;
	struct btap_ring ring;
	_Alignas(64) unsigned char data[SUB * SUBS];
	struct btapw w;
};

static struct bed *new_bed(void)
{
	struct bed *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	memset(b, 0, sizeof(*b));
	btapw_init(&b->w, &b->ring, b->data, SUB, SUBS, &b->ctl, false);
	return b;
}

static struct btap_sub *sub(struct bed *b, uint64_t n)
{
	return (struct btap_sub *)(b->data + n % SUBS * SUB);
}

static void a_record_is_its_words(void **state)
{
	struct bed *b = new_bed();
	uint64_t *rec = (uint64_t *)(b->data + 64);

	assert_int_equal(b->ring.pos, 64);
	assert_true(btapw_put3(&b->w, BTAP_EV_timer_set, 11, 22, 33));
	assert_int_equal(BTAP_HEAD_EVENT(rec[0]), BTAP_EV_timer_set);
	assert_int_equal(BTAP_HEAD_WORDS(rec[0]), 4);
	assert_int_equal(BTAP_TIME_FULL(rec[0], b->w.begin), b->w.last);
	assert_int_equal(rec[1], 11);
	assert_int_equal(rec[3], 33);
	assert_int_equal(b->ring.pos, 64 + 32);
	assert_int_equal(b->ring.count, 1);
	btapw_put1(&b->w, 1, 2);
	btapw_put2(&b->w, 1, 2, 3);
	btapw_put4(&b->w, 1, 2, 3, 4, 5);
	btapw_put5(&b->w, 1, 2, 3, 4, 5, 6);
	assert_int_equal(b->ring.pos, 64 + 8 * (4 + 2 + 3 + 5 + 6));
	assert_true(btapw_put6(&b->w, 9, 1, 2, 3, 4, 5, 6)); /* does not fit: the next one */
	assert_int_equal(b->ring.pos, SUB + 64 + 8 * 7);
	assert_int_equal(((uint64_t *)(b->data + SUB + 64))[6], 6);
	assert_int_equal(b->ring.count, 6);
	free(b);
}

/* What of the first 64 events goes into the ring. */
static uint64_t on_mask(const struct btap_ctl *ctl)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < 64; i++)
		mask |= (uint64_t)(ctl->on[i] & BTAP_ON_RING) << i;
	return mask;
}

static void an_event_is_on_or_off(void **state)
{
	struct btap_ctl ctl = { .on = { [67] = BTAP_ON_USDT } };

	assert_true(btapw_on(&ctl, 67));
	assert_false(btapw_on(&ctl, 66));
	assert_false(btapw_on(&ctl, 3));
}

static void a_sub_buffer_is_closed_when_it_is_left(void **state)
{
	struct bed *b = new_bed();

	for (int i = 0; i < 7; i++) /* 6 of 32 bytes fit */
		btapw_put3(&b->w, 1, i, 0, 0);
	assert_int_equal(b->ring.turn, 1);
	assert_int_equal(sub(b, 0)->len, SUB);
	assert_int_equal(sub(b, 0)->nr_records, 6);
	assert_true(sub(b, 0)->end_time >= sub(b, 0)->begin_time);
	assert_int_equal(sub(b, 1)->number, 1);
	assert_int_equal(sub(b, 1)->first, 6);
	assert_int_equal(sub(b, 1)->len, 0);
	assert_true(sub(b, 1)->begin_time >= sub(b, 0)->end_time);
	for (int i = 0; i < 6 * SUBS; i++)
		btapw_put3(&b->w, 1, i, 0, 0);
	assert_int_equal(sub(b, 4)->number, 4);
	assert_int_equal(sub(b, 4)->first, 24);
	assert_int_equal(b->ring.dropped, 0);
	free(b);
}

static void time_has_46_bits(void **state)
{
	struct bed *b = new_bed();

	btapw_put1(&b->w, 1, 1);
	assert_int_equal(b->ring.turn, 0);
	/* As if the sub-buffer had begun long ago. */
	b->w.begin -= BTAPW_SPAN;
	btapw_put1(&b->w, 1, 1);
	assert_int_equal(b->ring.turn, 1);
	assert_int_equal(sub(b, 0)->nr_records, 1);
	assert_int_equal(sub(b, 0)->len, 64 + 16);
	free(b);
}

static void time_does_not_go_back(void **state)
{
	struct bed *b = new_bed();
	uint64_t future = b->w.last + 1000000000000ull;

	b->w.last = future;
	btapw_put1(&b->w, 1, 1);
	assert_int_equal(b->w.last, future);
	assert_int_equal(BTAP_TIME_FULL(*(uint64_t *)(b->data + 64), b->w.begin), future);
	free(b);
}

static void what_cannot_fit_is_dropped_and_counted(void **state)
{
	struct bed *b = new_bed();
	struct btapw none = { 0 };
	uint64_t unwritten = 0;

	assert_int_equal(btapw_max_words(&b->w), 24);
	assert_non_null(btapw_reserve(&b->w, 1, 24));
	btapw_commit(&b->w);
	assert_null(btapw_reserve(&b->w, 1, 25));
	assert_int_equal(b->ring.count, b->ring.dropped + 1);
	assert_false(btapw_put1(&none, 1, 1));
	btapw_init(&none, NULL, NULL, 0, 0, &b->ctl, false);
	none.unwritten = &unwritten;
	assert_false(btapw_put6(&none, 1, 1, 2, 3, 4, 5, 6));
	assert_int_equal(unwritten, 1);
	free(b);
}

static void a_full_ring_stops_until_it_is_read(void **state)
{
	struct bed *b = new_bed();

	b->ctl.stop_when_full = 1;
	for (int i = 0; i < 30; i++) /* 24 fit */
		btapw_put3(&b->w, 1, i, 0, 0);
	assert_int_equal(b->ring.turn, SUBS - 1);
	assert_int_equal(b->ring.count, 30);
	assert_int_equal(b->ring.dropped, 6);
	assert_true(b->ring.drop_time >= sub(b, 3)->begin_time);
	assert_int_equal(sub(b, 0)->number, 0);
	b->ring.tail = 1;
	assert_true(btapw_put3(&b->w, 1, 30, 0, 0));
	assert_int_equal(sub(b, 4)->number, 4);
	assert_int_equal(sub(b, 4)->first, 30);
	/* Nonsense from the reader: no harm, at worst the oldest is overwritten. */
	b->ring.tail = UINT64_MAX;
	for (int i = 0; i < 100; i++)
		btapw_put3(&b->w, 1, i, 0, 0);
	b->ring.tail = b->w.number + 1000;
	for (int i = 0; i < 100; i++)
		btapw_put3(&b->w, 1, i, 0, 0);
	assert_true((b->ring.pos - 1) / SUB == b->w.number);
	free(b);
}

static void check_text(const char *s, size_t len, size_t max, const char *want)
{
	struct btapw_text t = btapw_text_fit(s, len, max);
	uint64_t buf[40], *end;

	memset(buf, 0xee, sizeof(buf));
	end = btapw_text_store(buf, &t);
	assert_int_equal(end - buf, btapw_text_words(&t));
	assert_int_equal(*end, 0xeeeeeeeeeeeeeeeeull);
	if (!want) {
		assert_int_equal(buf[0], BTAP_TEXT_NONE);
		return;
	}
	assert_int_equal(buf[0], strlen(want));
	assert_memory_equal(buf + 1, want, strlen(want));
	/* Padded with zeroes. */
	for (char *p = (char *)(buf + 1) + strlen(want); p < (char *)end; p++)
		assert_int_equal(*p, 0);
}

static void texts_are_cut_between_characters(void **state)
{
	check_text(NULL, 0, 20, NULL);
	check_text("", 0, 20, "");
	check_text("normal", 6, 20, "normal");
	check_text("12345678", 8, 8, "12345678");
	check_text("123456789", 9, 8, "12345...");
	check_text("12345678901234567", 17, 16, "1234567890123...");
	/* Four bytes a character: cut before it. */
	check_text("abc\xf0\x9f\x90\xb0\xf0\x9f\x90\xb0zzzzzzzz", 19, 12, "abc\xf0\x9f\x90\xb0...");
	check_text("abc\xf0\x9f\x90\xb0\xf0\x9f\x90\xb0zzzzzzzz", 19, 13, "abc\xf0\x9f\x90\xb0...");
	check_text("abc\xf0\x9f\x90\xb0\xf0\x9f\x90\xb0zzzzzzzz", 19, 14,
		   "abc\xf0\x9f\x90\xb0\xf0\x9f\x90\xb0...");
	check_text("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 10, 8, "...");
	for (size_t len = 0; len < 60; len++) {
		char s[64], want[64];

		memset(s, 'x', sizeof(s));
		snprintf(want, sizeof(want), "%.*s%s", (int)(len > 30 ? 27 : len), s,
			 len > 30 ? "..." : "");
		check_text(s, len, 30, want);
	}
}

/* -- the region's file -- */

static char dir[] = "/dev/shm/btap-test-XXXXXX";

static int make_dir(void **state)
{
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char cmd[100];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return system(cmd);
}

static int try_map(struct btapw_map **m, char *why)
{
	struct btapw_map_opts o = { .dir = dir, .ring_bytes = 64 << 10, .nr_spare = 1,
				    .strtab_bytes = 4096, .clock = 1 + BTAP_CLOCK_MONOTONIC };

	memset(o.facts.able, 0xff, sizeof(o.facts.able));
	return btapw_map_new(m, &o, why);
}

static struct btapw_map *new_map(void)
{
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	if (try_map(&m, why) < 0)
		fail_msg("%s", why);
	return m;
}

static const char *name_of(const char *suffix)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/beamtap.%d%s", dir, (int)getpid(), suffix);
	return path;
}

static unsigned int nr_files(void)
{
	char cmd[100];
	unsigned int n = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "ls '%s' | wc -l", dir);
	f = popen(cmd, "r");
	assert_int_equal(fscanf(f, "%u", &n), 1);
	pclose(f);
	return n;
}

static void refused(int err, const char *text)
{
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	assert_int_equal(try_map(&m, why), err);
	assert_null(m);
	if (!strstr(why, text))
		fail_msg("\"%s\" is not in: %s", text, why);
}

static void the_default_is_16_mib_at_most(void **state)
{
	struct btapw_map_opts o = { .dir = dir };
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;
	struct stat st;

	o.facts.nr_schedulers = 2;
	o.facts.nr_dirty_cpu = 2;
	o.facts.nr_dirty_io = 10;
	assert_int_equal(btapw_map_new(&m, &o, why), 0);
	assert_true(btapw_map_size(m) <= 16 << 20);
	assert_int_equal(stat(btapw_map_path(m), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, btapw_map_size(m));
	assert_int_equal(st.st_blocks * 512, st.st_size); /* all there: no SIGBUS later */
	btapw_map_free(m);
}

static void what_is_in_the_way_is_refused(void **state)
{
	struct btapw_map *m;
	char other[128];
	int fd;

	snprintf(other, sizeof(other), "%s/other", dir);
	fd = open(other, O_CREAT | O_RDWR, 0600);
	assert_int_equal(write(fd, "precious", 8), 8);
	assert_int_equal(symlink(other, name_of("")), 0);
	refused(-EEXIST, "a symbolic link");
	unlink(name_of(""));
	assert_int_equal(link(other, name_of("")), 0);
	refused(-EEXIST, "more than one name");
	unlink(name_of(""));
	assert_int_equal(mkdir(name_of(""), 0700), 0);
	refused(-EEXIST, "a directory");
	rmdir(name_of(""));
	assert_int_equal(mkfifo(name_of(""), 0600), 0);
	refused(-EEXIST, "not a plain file");
	unlink(name_of(""));
	close(open(name_of(""), O_CREAT | O_RDWR, 0644));
	refused(-EEXIST, "others may use");
	chmod(name_of(""), 0600);
	if (geteuid() == 0) {
		assert_int_equal(chown(name_of(""), 12345, -1), 0);
		refused(-EEXIST, "another user");
	}
	unlink(name_of(""));
	m = new_map();
	refused(-EBUSY, "in use");
	btapw_map_free(m);
	assert_int_equal(pread(fd, other, 8, 0), 8);
	assert_memory_equal(other, "precious", 8);
	close(fd);
}

static void a_dead_region_is_moved_aside_and_four_are_kept(void **state)
{
	struct btapw_map *m;
	char foreign[128];

	/* Not a region: stays, whatever its name. */
	snprintf(foreign, sizeof(foreign), "%s/beamtap.99.1", dir);
	close(open(foreign, O_CREAT | O_RDWR, 0600));
	for (int i = 0; i < 7; i++) {
		m = new_map();
		assert_string_equal(btapw_map_path(m), name_of(""));
		btapw_map_close(m);
		btapw_map_close(m); /* twice is fine */
		btapw_map_free(m);
	}
	m = new_map();
	assert_int_equal(nr_files(), 1 + 4 + 1);
	assert_int_equal(access(foreign, F_OK), 0);
	btapw_map_free(m);
}

/* The VM did not say good-bye: as if it had been killed. */
static void make_it_a_crash(void)
{
	uint32_t state = BTAP_STATE_OPEN;
	int fd = open(name_of(""), O_RDWR);

	assert_int_equal(pwrite(fd, &state, 4, offsetof(struct btap_region_hdr, state)), 4);
	close(fd);
}

static int nr_crashes(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	uint32_t state;
	int nr = 0;

	while ((e = readdir(d))) {
		int fd = openat(dirfd(d), e->d_name, O_RDONLY);

		nr += pread(fd, &state, 4, offsetof(struct btap_region_hdr, state)) == 4 &&
		      state == BTAP_STATE_OPEN;
		close(fd);
	}
	closedir(d);
	return nr;
}

static void what_a_crash_left_is_kept_before_what_was_closed(void **state)
{
	struct btapw_map *m;

	for (int i = 0; i < 8; i++) {
		m = new_map();
		btapw_map_close(m);
		btapw_map_free(m);
		if (i == 1)
			make_it_a_crash();
	}
	m = new_map();
	assert_int_equal(nr_files(), 1 + 4);
	assert_int_equal(nr_crashes(), 1 + 1); /* the one that lives is open, too */
	btapw_map_free(m);
}

static void impossible_sizes_are_refused(void **state)
{
	struct btapw_map_opts o = { .dir = dir, .ring_bytes = 100 };
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	assert_int_equal(btapw_map_new(&m, &o, why), -EINVAL);
	o.ring_bytes = 1 << 20;
	o.sub_bytes = 1000;
	assert_int_equal(btapw_map_new(&m, &o, why), -EINVAL);
	o.sub_bytes = 0;
	o.dir = "/nowhere/at/all";
	assert_int_equal(btapw_map_new(&m, &o, why), -ENOENT);
	assert_non_null(strstr(why, "/nowhere/at/all"));
}

static void a_nearly_full_file_system_makes_rings_smaller(void **state)
{
	struct btapw_map_opts o = { .dir = dir };
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	o.facts.nr_schedulers = 2;
	if (mount("none", dir, "tmpfs", 0, "size=4m") < 0)
		skip();
	assert_int_equal(btapw_map_new(&m, &o, why), 0);
	assert_non_null(strstr(why, "little room"));
	assert_true(btapw_map_size(m) <= 4 << 20);
	btapw_map_free(m);
	unlink(name_of(""));
	umount(dir);
	assert_int_equal(mount("none", dir, "tmpfs", 0, "size=256k"), 0);
	assert_int_equal(btapw_map_new(&m, &o, why), -ENOSPC);
	assert_non_null(strstr(why, "no room"));
	assert_int_equal(nr_files(), 0);
	umount(dir);
}

static void the_file_size_limit_is_no_signal(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit rl = { 100000, 100000 };
		char why[BTAPW_WHY_MAX];
		struct btapw_map *m;

		setrlimit(RLIMIT_FSIZE, &rl);
		_exit(try_map(&m, why) == -EFBIG && strstr(why, "ulimit") ? 7 : 8);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void strings_are_defined_once(void **state)
{
	struct btapw_map *m = new_map();
	char text[2000];
	uint64_t a, b;

	memset(text, 'a', sizeof(text));
	assert_false(btapw_map_atom_known(m, BTAP_ATOM_TERM(42)));
	assert_int_equal(btapw_map_string(m, BTAP_STRING_ATOM, BTAP_ATOM_TERM(42), "lists", 5), 0);
	assert_true(btapw_map_atom_known(m, BTAP_ATOM_TERM(42)));
	assert_int_equal(btapw_map_string(m, BTAP_STRING_ATOM, BTAP_ATOM_TERM(42), "lists", 5), 0);
	a = btapw_map_name(m, "tcp_inet", 8);
	b = btapw_map_name(m, "efile", 5);
	assert_true(a && b && a != b);
	assert_int_equal(btapw_map_name(m, "tcp_inet", 8), a);
	/* Full: counted, and what is there is still found. */
	for (int i = 0; i < 10; i++)
		btapw_map_name(m, text, 1000 + i);
	assert_int_equal(btapw_map_name(m, text, 2000), 0);
	assert_int_equal(btapw_map_name(m, "efile", 5), b);
	assert_int_equal(btapw_map_string(m, BTAP_STRING_ATOM, BTAP_ATOM_TERM(7), text, 2000), -ENOSPC);
	assert_true(btapw_map_atom_known(m, BTAP_ATOM_TERM(7)));
	assert_int_equal(btapw_map_string(m, BTAP_STRING_ATOM, UINT64_MAX, text, 1), -EINVAL);
	btapw_map_free(m);
}

static void many_names(void **state)
{
	struct btapw_map_opts o = { .dir = dir, .ring_bytes = 64 << 10, .strtab_bytes = 4 << 20 };
	char why[BTAPW_WHY_MAX], name[32];
	struct btapw_map *m;

	assert_int_equal(btapw_map_new(&m, &o, why), 0);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 1; i <= 30000; i++) {
			snprintf(name, sizeof(name), "port %d", (int)i);
			assert_int_equal(btapw_map_name(m, name, strlen(name)), i);
		}
	btapw_map_free(m);
}

static void a_null_map_is_fine(void **state)
{
	struct btapw_leases *ls = calloc(1, sizeof(*ls));
	struct btapw w;

	assert_int_equal(btapw_map_thread(NULL, &w, 0, 0, NULL), -ENODEV);
	assert_false(btapw_put1(&w, 1, 1));
	assert_int_equal(btapw_map_leases(NULL, ls), 0);
	assert_int_equal(btapw_map_string(NULL, 1, 0, "", 0), -ENODEV);
	assert_int_equal(btapw_map_name(NULL, "", 0), 0);
	btapw_map_clock(NULL);
	btapw_map_node(NULL, "x");
	btapw_map_functions(NULL, 1);
	btapw_map_enable(NULL, ls->want);
	btapw_map_answer(NULL, 0, 2, 0, 0, NULL, NULL);
	btapw_map_close(NULL);
	btapw_map_free(NULL);
	free(ls);
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
		cmocka_unit_test(a_record_is_its_words),
		cmocka_unit_test(an_event_is_on_or_off),
		cmocka_unit_test(a_sub_buffer_is_closed_when_it_is_left),
		cmocka_unit_test(time_has_46_bits),
		cmocka_unit_test(time_does_not_go_back),
		cmocka_unit_test(what_cannot_fit_is_dropped_and_counted),
		cmocka_unit_test(a_full_ring_stops_until_it_is_read),
		cmocka_unit_test(texts_are_cut_between_characters),
		T(the_default_is_16_mib_at_most),
		T(what_is_in_the_way_is_refused),
		T(a_dead_region_is_moved_aside_and_four_are_kept),
		T(what_a_crash_left_is_kept_before_what_was_closed),
		T(impossible_sizes_are_refused),
		T(a_nearly_full_file_system_makes_rings_smaller),
		T(the_file_size_limit_is_no_signal),
		T(strings_are_defined_once),
		T(many_names),
		cmocka_unit_test(a_null_map_is_fine),
		T(leases_come_change_and_go),
		T(stacks_go_with_their_events),
		T(who_has_no_stacks_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
