// SPDX-License-Identifier: Apache-2.0
/*
 * report_bench.c - what the report costs an event, against walking the same records
 *
 *	report_bench DIR                   over a recording
 *	report_bench [EVENTS [PROCESSES]]  over records in memory
 *
 * Those in memory are those of two schedulers that run processes which send to
 * one another in pairs: scheduled, receive, send, unscheduled, and now
 * and then a collection.  Runs change between the threads at each switch, which
 * is as short as a merge can cut them.  Prints ns an event for the walk and for
 * the report, medians of several rounds that alternate, and their ratio.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/report.h"
#include "source/open.h"

#define ROUNDS 5

struct mem {
	struct src src;
	uint64_t *words;
	size_t used;
	/* runs: where each ends, and its thread */
	struct mark {
		size_t end;
		uint32_t thread;
	} * marks;
	size_t nr_marks, next;
	uint64_t base;
};

static int mem_run(struct src *s, struct src_run *run, struct diag *d)
{
	struct mem *m = (struct mem *)s;
	size_t at = m->next ? m->marks[m->next - 1].end : 0;

	if (m->next == m->nr_marks)
		return 0;
	run->at = m->words + at;
	run->end = m->words + m->marks[m->next].end;
	run->thread = m->marks[m->next].thread;
	run->base = BTAP_TIME_FULL(*run->at, m->base);
	run->bound = UINT64_MAX;
	run->is_lost = false;
	m->base = run->base;
	m->next++;
	return 1;
}

static const struct src_ops mem_ops = { .name = "memory", .run = mem_run };

static uint64_t pid(uint32_t number)
{
	return (uint64_t)number << 4 | BTAP_TAG_PID;
}

static void put(struct mem *m, uint64_t ts, unsigned int event, unsigned int nr, const uint64_t *f)
{
	m->words[m->used++] = BTAP_HEAD(event, nr + 1, ts);
	memcpy(m->words + m->used, f, nr * 8);
	m->used += nr;
}

static size_t turn(struct mem *m, uint64_t *ts, uint32_t thread, uint32_t me, uint32_t peer,
		   uint64_t id, bool has_message)
{
	uint64_t mfa = BTAP_MFA(10, 20, 1);
	size_t nr = 3 + has_message;

	put(m, *ts += 60, BTAP_EV_process_scheduled, 2, (uint64_t[]){ pid(me), mfa });
	if (has_message)
		put(m, *ts += 60, BTAP_EV_message_receive, 5,
		    (uint64_t[]){ pid(me), 4, 0, pid(peer), 0 });
	if (id % 16 == 0) {
		put(m, *ts += 60, BTAP_EV_gc_minor_start, 2, (uint64_t[]){ pid(me), 10 });
		put(m, *ts += 900, BTAP_EV_gc_minor_end, 2, (uint64_t[]){ pid(me), 100 });
		nr += 2;
	}
	put(m, *ts += 60, BTAP_EV_message_send, 4, (uint64_t[]){ pid(me), pid(peer), 4, 0 });
	put(m, *ts += 60, BTAP_EV_process_unscheduled, 2, (uint64_t[]){ pid(me), mfa });
	m->marks[m->nr_marks++] = (struct mark){ m->used, thread };
	return nr;
}

static void generate(struct mem *m, size_t events, uint32_t procs)
{
	uint64_t ts = 1000000, id = 0;
	uint64_t mfa = BTAP_MFA(10, 20, 1);
	size_t nr = 0;

	for (uint32_t i = 0; i < procs; i++, nr++)
		put(m, ts += 10, BTAP_EV_process_spawn, 3,
		    (uint64_t[]){ pid(100 + i), mfa, pid(1) });
	m->marks[m->nr_marks++] = (struct mark){ m->used, 0 };
	while (nr < events) {
		uint32_t a = 100 + (uint32_t)(id * 2 % procs), b = a + 1;

		nr += turn(m, &ts, 0, a, b, id, id >= procs / 2);
		nr += turn(m, &ts, 1, b, a, id, true);
		id++;
	}
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void rewind_src(struct mem *m)
{
	m->next = 0;
	m->base = 1000000;
}

/* What is measured over: a recording, opened anew each time, or records in memory. */
static struct src *begin(struct mem *m, const char *path)
{
	struct diag d = DIAG_INIT;
	struct src *s;

	if (!path) {
		rewind_src(m);
		return &m->src;
	}
	if (open_any(&s, &path, 1, &d)) {
		diag_print(&d, stderr, "report_bench");
		exit(1);
	}
	return s;
}

static void end(struct src *s, const char *path)
{
	if (path)
		src_close(s);
}

/* Each returns the CPU time of the whole. */
static double walk(struct mem *m, const char *path, size_t *nr)
{
	struct src_run run = { 0 };
	struct src_rec rec;
	uint64_t counts[256] = { 0 };
	double t = now_ns();
	struct src *s = begin(m, path);

	while (src_run(s, &run, NULL) > 0)
		while (src_run_next(&run, &rec))
			counts[rec.event & 255]++;
	end(s, path);
	*nr = 0;
	for (int i = 0; i < 256; i++)
		*nr += counts[i];
	return now_ns() - t;
}

static double report(struct mem *m, const char *path, FILE *out)
{
	struct report_opts o = REPORT_OPTS_INIT;
	struct diag d = DIAG_INIT;
	double t = now_ns();
	struct src *s = begin(m, path);

	if (report_run(s, &o, out, &d))
		diag_print(&d, stderr, "report_bench");
	end(s, path);
	return now_ns() - t;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void measure(struct mem *m, const char *path, const char *what)
{
	double walks[ROUNDS], reports[ROUNDS], w, r;
	FILE *out = fopen("/dev/null", "w");
	size_t nr = 0;

	if (!out)
		exit(1);
	for (int i = 0; i < ROUNDS; i++) {
		walks[i] = walk(m, path, &nr);
		reports[i] = report(m, path, out);
	}
	fclose(out);
	qsort(walks, ROUNDS, sizeof(*walks), by_value);
	qsort(reports, ROUNDS, sizeof(*reports), by_value);
	w = walks[ROUNDS / 2] / (double)nr;
	r = reports[ROUNDS / 2] / (double)nr;
	printf("%zu events, %s: walk %.1f ns, report %.1f ns an event (%.1f M/s), ratio %.1f\n", nr,
	       what, w, r, 1e3 / r, r / w);
}

int main(int argc, char **argv)
{
	bool is_path = argc > 1 && (argv[1][0] < '0' || argv[1][0] > '9');
	size_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	uint32_t procs = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) & ~1u : 1000;
	struct src_thread threads[2] = {
		{ .kind = BTAP_THREAD_SCHEDULER, .number = 1, .name = "1_scheduler" },
		{ .kind = BTAP_THREAD_SCHEDULER, .number = 2, .name = "2_scheduler" },
	};
	struct src_vm vm = { .facts = { .otp_release = 25,
					.pid_shift = 4,
					.pid_number_bits = 28,
					.port_shift = 4,
					.port_number_bits = 28,
					.node = "bench@host" } };
	struct mem m = { .src = { .ops = &mem_ops,
				  .vms = &vm,
				  .nr_vms = 1,
				  .threads = threads,
				  .nr_threads = 2 } };
	char what[64];

	if (is_path) {
		measure(NULL, argv[1], "a recording");
		return 0;
	}
	m.words = malloc((events + 64) * 6 * sizeof(*m.words));
	m.marks = malloc((events / 3 + 64) * sizeof(*m.marks));
	if (!m.words || !m.marks || procs < 2)
		return 1;
	generate(&m, events, procs);
	snprintf(what, sizeof(what), "%u processes in memory", procs);
	measure(&m, NULL, what);
	free(m.words);
	free(m.marks);
	return 0;
}
