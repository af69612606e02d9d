// SPDX-License-Identifier: Apache-2.0
/*
 * gencat.c - write what is generated from the event catalogue
 *
 *	gencat hrl            erts-hooks/agent/include/beamtap.hrl: a record an event, and their numbers
 *	gencat md             docs/events.md: the reference page
 *	gencat ids FILE       docs/event-ids, from what it is now: ids that are taken
 *	gencat bt             bpf/tools/events.tab: fields and their places among a probe's arguments
 *
 * `ids` is the memory of the catalogue: an id that was ever in it belongs to
 * that event for ever.  It fails, and writes nothing, when one was given to
 * another event, or when an event's name and its USDT name disagree.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <beamtap/records.h>

struct type {
	const char *name, *wire, *dtype, *unit, *doc;
};
struct field {
	const char *type, *name;
	int arg;
	const char *need, *doc;
};
struct event {
	int id;
	const char *name, *usdt, *doc;
	const struct field *fields;
	size_t nr_fields;
};

#define NR(a) (sizeof(a) / sizeof((a)[0]))
static const struct type types[] = {
#define AS_TYPE(name, wire, dtype, unit, doc) { #name, #wire, dtype, unit, doc },
	BTAP_TYPES(AS_TYPE)
#undef AS_TYPE
};
#define AS_FIELD(type, name, arg, need, doc) { #type, #name, arg, #need, doc },
#define AS_FIELDS(id, name, usdt, doc) static const struct field fields_##name[] = { BTAP_FIELDS_##name(AS_FIELD) };
BTAP_EVENTS(AS_FIELDS)
BTAP_RING_EVENTS(AS_FIELDS)
#undef AS_FIELDS
#undef AS_FIELD
/* The last ones, nr_ring of them, are no probes. */
static const struct event events[] = {
#define AS_EVENT(id, name, usdt, doc) { id, #name, #usdt, doc, fields_##name, NR(fields_##name) },
	BTAP_EVENTS(AS_EVENT)
	BTAP_RING_EVENTS(AS_EVENT)
#undef AS_EVENT
};
enum {
#define AS_ONE(id, name, usdt, doc) +1
	nr_ring = 0 BTAP_RING_EVENTS(AS_ONE)
#undef AS_ONE
};

static const struct type *type_of(const char *name)
{
	for (size_t i = 0; i < NR(types); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	abort();
}

/* `message__send` -> `message-send`, or with `_` for a dash `message_send` */
static const char *undouble(const char *usdt, char dash)
{
	static char buf[100];
	char *to = buf;

	for (; *usdt && to < buf + sizeof(buf) - 1; usdt++) {
		*to++ = usdt[0] == '_' && usdt[1] == '_' ? dash : *usdt;
		if (usdt[0] == '_' && usdt[1] == '_')
			usdt++;
	}
	*to = '\0';
	return buf;
}

/* -- .hrl -- */

static void print_record(const struct event *e)
{
	printf("-record(%s, {", e->name);
	for (size_t i = 0; i < e->nr_fields; i++)
		printf("%s\n    %s%s", i ? "," : "", e->fields[i].name,
		       strcmp(e->fields[i].need, "opt") ? "" : " = undefined");
	printf("}).\n");
}

static void print_hrl(void)
{
	printf("%%%% SPDX-License-Identifier: Apache-2.0\n"
	       "%%%% Made from uapi/beamtap/catalog.h by `make gen`: change that.\n"
	       "%%%%\n"
	       "%%%% A record an event, its fields in the order of the catalogue, and the events'\n"
	       "%%%% numbers as ?BEAMTAP_EVENT_<name>, and as pairs in ?BEAMTAP_EVENTS.\n"
	       "-ifndef(BEAMTAP_HRL).\n"
	       "-define(BEAMTAP_HRL, true).\n\n");
	for (size_t i = 0; i < NR(events); i++)
		printf("-define(BEAMTAP_EVENT_%s, %d).\n", events[i].name, events[i].id);
	printf("-define(BEAMTAP_EVENTS, [");
	for (size_t i = 0; i < NR(events); i++)
		printf("%s\n    {%s, %d}", i ? "," : "", events[i].name, events[i].id);
	printf("\n]).\n\n");
	for (size_t i = 0; i < NR(events); i++)
		print_record(&events[i]);
	printf("\n-endif.\n");
}

/* -- events.md -- */

static bool is_probe(const struct event *e)
{
	return e < events + NR(events) - nr_ring;
}

static void print_event(const struct event *e)
{
	printf("\n### %s\n\n", undouble(e->usdt, '-'));
	printf("%c%s. Event %d, `%s`; ", e->doc[0] - ('a' <= e->doc[0] && e->doc[0] <= 'z' ? 32 : 0),
	       e->doc + 1, e->id, e->name);
	if (is_probe(e))
		printf("USDT `%s`.\n\n", e->usdt);
	else
		printf("in rings and recordings alone, no probe.\n\n");
	printf("| argument | field | type | in D | |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < e->nr_fields; i++) {
		const struct field *f = &e->fields[i];

		printf("| arg%d | `%s` | %s%s | `%s` | %s |\n", f->arg, f->name, f->type,
		       strcmp(f->need, "opt") ? "" : ", optional", type_of(f->type)->dtype, f->doc);
	}
}

static void print_md(void)
{
	printf("# Events\n\n"
	       "Made from `uapi/beamtap/catalog.h` by `make gen`: change that.\n\n"
	       "A probe's name in D is that of its section here: `erlang*:::%s` and so on. The\n"
	       "arguments stand in the order in which they are written; `argN` is their position\n"
	       "in D. An optional one may be missing at the end of a record; what is missing, or\n"
	       "what the VM did not know, is unknown and never a number that looks like data.\n\n"
	       "## Types\n\n| type | in D | unit | |\n|---|---|---|---|\n",
	       undouble(events[0].usdt, '-'));
	for (size_t i = 0; i < NR(types); i++)
		printf("| %s | `%s` | %s | %s |\n", types[i].name, types[i].dtype, types[i].unit, types[i].doc);
	printf("\n## Events\n");
	for (size_t i = 0; i < NR(events); i++)
		print_event(&events[i]);
}

/* -- events.tab -- */

static void print_bt(void)
{
	printf("# Made from uapi/beamtap/catalog.h by `make gen`: change that.\n"
	       "# tracepoint, USDT probe, field, argument, text | signed | unsigned\n");
	for (size_t i = 0; i < NR(events) - nr_ring; i++)
		for (size_t j = 0; j < events[i].nr_fields; j++) {
			const struct field *f = &events[i].fields[j];
			const char *dtype = type_of(f->type)->dtype;

			printf("%s %s %s %d %s\n", events[i].name, events[i].usdt, f->name, f->arg,
			       !strcmp(dtype, "string")	    ? "text"
			       : !strncmp(dtype, "uint", 4) ? "unsigned"
							    : "signed");
		}
}

/* -- ids -- */

static int check_names(void)
{
	int bad = 0;

	for (size_t i = 0; i < NR(events); i++) {
		const struct event *e = &events[i];

		if (strcmp(undouble(e->usdt, '_'), e->name)) {
			fprintf(stderr, "gencat: %s has the USDT name %s: it would have to be %s\n", e->name,
				e->usdt, undouble(e->usdt, '_'));
			bad = 1;
		}
		for (size_t j = 0; j < i; j++)
			if (events[j].id == e->id || !strcmp(events[j].name, e->name)) {
				fprintf(stderr, "gencat: %s (%d) and %s (%d) have a number or name in common\n",
					events[j].name, events[j].id, e->name, e->id);
				bad = 1;
			}
	}
	return bad;
}

/* Names by id, as the file has them. */
static char *known[BTAP_MAX_EVENTS];

static int read_ids(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[200], name[100];
	int id;

	if (!f)
		return 0; /* the first time */
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (sscanf(line, "%d %99s", &id, name) != 2 || id < 1 || id >= BTAP_MAX_EVENTS) {
			fprintf(stderr, "gencat: %s: cannot read '%s'\n", path, line);
			fclose(f);
			return 1;
		}
		free(known[id]);
		known[id] = strdup(name);
	}
	fclose(f);
	return 0;
}

static int print_ids(const char *path)
{
	int bad = check_names() || read_ids(path);

	for (size_t i = 0; i < NR(events); i++) {
		const struct event *e = &events[i];

		if (known[e->id] && strcmp(known[e->id], e->name)) {
			fprintf(stderr,
				"gencat: event id %d was %s and cannot become %s: ids are wire format, take a free one\n",
				e->id, known[e->id], e->name);
			bad = 1;
		}
		for (int id = 1; id < BTAP_MAX_EVENTS; id++)
			if (known[id] && id != e->id && !strcmp(known[id], e->name)) {
				fprintf(stderr, "gencat: %s had the id %d and cannot have %d\n", e->name, id, e->id);
				bad = 1;
			}
		if (!bad && !known[e->id])
			known[e->id] = strdup(e->name);
	}
	if (bad)
		return 1;
	printf("# Ids of events that were ever in the catalogue, made by `make gen`.  Lines are added, never removed:\n"
	       "# an id that is taken stays so, though its event be gone.\n");
	for (int id = 1; id < BTAP_MAX_EVENTS; id++)
		if (known[id])
			printf("%d %s\n", id, known[id]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "hrl") && argc == 2)
		print_hrl();
	else if (!strcmp(what, "md") && argc == 2)
		print_md();
	else if (!strcmp(what, "bt") && argc == 2)
		print_bt();
	else if (!strcmp(what, "ids") && argc == 3) {
		if (print_ids(argv[2]))
			return 1;
	} else {
		fprintf(stderr, "usage: gencat hrl | md | bt | ids FILE\n");
		return 2;
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("gencat: standard output");
		return 1;
	}
	return 0;
}
