/* SPDX-License-Identifier: Apache-2.0 */
/* print_own.h - what the printer's files share; nobody else includes it */
#ifndef BEAMTAP_PRINT_OWN_H
#define BEAMTAP_PRINT_OWN_H

#include "event/names.h"
#include "event/print.h"

#define PRINT_ROOM 4096 /* of a line without its texts: more than it can take */
#define PRINT_LIT  32	/* bytes of a literal, copied whole */

/* What of a line is known beforehand. */
struct print_field {
	char lit[PRINT_LIT]; /* ` sender=` */
	uint8_t len;
	uint8_t type;
	bool is_opt;
	bool is_redacted;
};
struct print_plan {
	char name[PRINT_LIT + 16];
	uint8_t len, nr_fields;
	struct print_field field[DESC_MAX_FIELDS];
};

struct print_vm {
	struct term_vm terms;
	struct names *names; /* NULL: not wanted */
	char node[256];	     /* as of its last use: it may change while the VM lives */
};

struct print_thread {
	char text[64]; /* `scheduler/1`, padded in PRINT_TEXT */
	uint8_t len;
	bool is_made, is_said;
};

struct print {
	const struct src *s;
	struct print_opts opts;
	struct print_plan *plans; /* by event */
	struct print_vm *vms;
	struct print_thread *threads;
	uint32_t nr_vms, nr_threads;
	uint64_t start_ns, last_ns;
	bool has_start;
	int64_t wall_second; /* second that wall_text says */
	char wall_text[16];
};

static inline char *print_mem(struct outbuf *o, char *p, const char *s, size_t n)
{
	outbuf_done(o, p);
	outbuf_mem(o, s, n);
	return outbuf_room(o, PRINT_ROOM);
}

/** print_redacted() - `<11 bytes>` of a text, at most PRINT_LIT bytes.  Return: behind the last */
char *print_redacted(char *c, const struct decode_text *t);
/** print_thread() - Return: what a thread is called here; NULL without memory */
struct print_thread *print_thread(struct print *p, uint32_t i);
/** print_json(), print_fixture() - the line of a record in that style */
void print_json(struct print *p, struct outbuf *o, const struct src_rec *rec);
void print_fixture(struct print *p, struct outbuf *o, const struct src_rec *rec);
void print_fixture_head(struct print *p, struct outbuf *o);

#endif /* BEAMTAP_PRINT_OWN_H */
