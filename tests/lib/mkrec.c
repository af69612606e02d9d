// SPDX-License-Identifier: Apache-2.0
/*
 * mkrec.c - make recordings for tests and benches
 *
 *	mkrec catalogue              print a fixture of the whole catalogue
 *	mkrec text FIXTURE DIR       a fixture as a recording, 5 records a packet
 *	mkrec events N RINGS DIR     N events as a busy node makes them
 */
#include "lib/facts.h"
#include "lib/rec.h"
#include "source/strings.h"

static int fail(struct diag *d)
{
	diag_print(d, stderr, "mkrec");
	return 1;
}

static int from_text(const char *path, const char *dir)
{
	struct diag d = DIAG_INIT;
	struct src *s;
	int r;

	if (text_open(&s, path, &d))
		return fail(&d);
	r = rec_write(s, dir, 5, &d);
	src_close(s);
	return r ? fail(&d) : 0;
}

#define BATCH	     8
#define PACKET_WORDS 8192 /* 64 KiB */

static uint64_t pid(unsigned int n)
{
	return (uint64_t)(80 + n) << 4 | BTAP_TAG_PID;
}

/* A round of two processes that talk: 24 words, 6 records. */
static uint64_t *round_trip(uint64_t *p, uint64_t *ts, unsigned int n, uint64_t msg)
{
	uint64_t a = pid(n % 60), b = pid(n % 60 + 100), mfa = BTAP_MFA(1 + n % 20, 21 + n % 20, 1);

#define HEAD(ev, words) BTAP_HEAD(BTAP_EV_##ev, words, (*ts += 120) & BTAP_TIME_MASK)
	*p++ = HEAD(process_scheduled, 3), *p++ = a, *p++ = mfa;
	*p++ = HEAD(message_send, 5), *p++ = a, *p++ = b, *p++ = 4, *p++ = msg;
	*p++ = HEAD(process_unscheduled, 3), *p++ = a, *p++ = mfa;
	*p++ = HEAD(process_scheduled, 3), *p++ = b, *p++ = mfa;
	*p++ = HEAD(message_receive, 6), *p++ = b, *p++ = 4, *p++ = 0, *p++ = a, *p++ = msg;
	*p++ = HEAD(process_unscheduled, 3), *p++ = b, *p++ = mfa;
#undef HEAD
	return p;
}

static int synthetic(uint64_t nr_events, unsigned int nr_rings, const char *dir)
{
	struct btap_facts f = { FACTS_OTP_25,
				.way = BTAP_WAY_AGENT,
				.clock_hz = 1000000000,
				.node = "bench@localhost",
				.emulator = "beam.smp" };
	struct src_strings *strs = strings_new();
	struct diag d = DIAG_INIT;
	struct src_thread th = { .kind = BTAP_THREAD_SCHEDULER };
	struct piece {
		uint64_t begin, nr_words, words[PACKET_WORDS + 64];
	} *pieces = malloc(BATCH * nr_rings * sizeof(*pieces)), *c;
	uint64_t done = 0, begin = 0, end = 1000000, msg = 0;
	struct ctfw *w;
	char name[32];

	for (unsigned int i = 1; i <= 40; i++) {
		snprintf(name, sizeof(name), i <= 20 ? "module_%u" : "function_%u", i);
		strings_add(strs, BTAP_STRING_ATOM, BTAP_ATOM_TERM(i), name, strlen(name));
	}
	if (!pieces || ctfw_open(&w, dir, &f, strs, &d))
		return fail(&d);
	/*
	 * The rings overlap in time: each packet begins where the one of ring 0 began.  Some
	 * packets of a ring are written together, as the recorder does.
	 */
	while (done < nr_events) {
		memset(pieces, 0, BATCH * nr_rings * sizeof(*pieces));
		for (unsigned int i = 0; i < BATCH * nr_rings && done < nr_events; i++) {
			unsigned int ring = i % nr_rings;
			uint64_t *p, t;

			begin = ring ? begin : end;
			t = begin + ring * 7;
			c = &pieces[ring * BATCH + i / nr_rings];
			p = c->words;
			c->begin = begin;
			while (p < c->words + PACKET_WORDS - 24 && done < nr_events) {
				p = round_trip(p, &t, (unsigned int)(msg * 7 + ring), msg + 1);
				done += 6;
				msg++;
			}
			c->nr_words = (uint64_t)(p - c->words);
			end = t > end ? t : end;
		}
		for (unsigned int i = 0; i < BATCH * nr_rings; i++) {
			c = &pieces[i];
			if (!c->nr_words)
				continue;
			th.number = i / BATCH + 1;
			snprintf(th.name, sizeof(th.name), "%u_scheduler", th.number);
			if (ctfw_queue(w, i / BATCH, &th, c->words, c->nr_words, c->begin, NULL, &d))
				return fail(&d);
		}
		if (ctfw_flush(w, &d))
			return fail(&d);
	}
	free(pieces);
	if (ctfw_close(w, 0, 0, &d))
		return fail(&d);
	strings_free(strs);
	printf("%llu events\n", (unsigned long long)done);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int nr;

	if (argc == 2 && !strcmp(argv[1], "catalogue")) {
		char *text = rec_catalogue(&nr);

		fputs(text, stdout);
		free(text);
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "text"))
		return from_text(argv[2], argv[3]);
	if (argc == 5 && !strcmp(argv[1], "events"))
		return synthetic(strtoull(argv[2], NULL, 10), (unsigned int)atoi(argv[3]), argv[4]);
	fprintf(stderr, "usage: mkrec catalogue | text FIXTURE DIR | events N RINGS DIR\n");
	return 2;
}
