/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctfmeta.h - the metadata of a recording: CTF's description of it, with names for terms
 *
 * Event classes are projected from the catalogue and named as events are met;
 * processes, ports, atoms and strings become labels of enumerations.  Other
 * readers search labels one by one for each value they print, so their number is
 * capped; what has no label is shown as its number.
 */
#ifndef BEAMTAP_CTFMETA_H
#define BEAMTAP_CTFMETA_H

#include "event/outbuf.h"
#include "source/ctf_format.h"
#include "source/src.h"

#define CTFMETA_MAX_PROCS   256 /* processes and ports: those with a registered name come first */
#define CTFMETA_MAX_ATOMS   1024
#define CTFMETA_MAX_STRINGS 256

struct ctfmeta_proc {
	uint64_t term;	/* pid or port */
	uint64_t label; /* atom term of its name, its BTAP_MFA, or the number of a string */
	uint8_t rank;	/* enum ctfmeta_rank */
};
enum ctfmeta_rank { CTFMETA_SPAWNED, CTFMETA_PORT, CTFMETA_THERE, CTFMETA_NAMED };

struct ctfmeta {
	struct ctf_facts facts;
	uint64_t used[CTF_MAX_CLASSES / 64]; /* bit n: records of class n were written */
	struct ctfmeta_proc procs[CTFMETA_MAX_PROCS];
	unsigned int nr_procs;
	unsigned int nr_learned; /* changes since the text was made last */
	bool has_new_class;	 /* a class was used since then */
	uint32_t nr_strings;	 /* strings there were then */
};

/* Classes: a number for each event and number of missing optional fields. */
struct ctfmeta_class {
	uint16_t event;
	uint8_t nr_missing;
};
/** ctfmeta_classes() - Return: table of CTF_MAX_CLASSES; event 0: no such class */
const struct ctfmeta_class *ctfmeta_classes(void);
/** ctfmeta_class_of() - Return: class of an event that lacks its last @nr_missing fields */
unsigned int ctfmeta_class_of(unsigned int event, unsigned int nr_missing);

/** ctfmeta_is_wanted() - Return: whether ctfmeta_learn() takes anything from an event */
bool ctfmeta_is_wanted(unsigned int event);
/** ctfmeta_learn() - learn who is who from a checked record */
void ctfmeta_learn(struct ctfmeta *m, const uint64_t *words, unsigned int nr_words);

/** ctfmeta_is_stale() - Return: whether the text should be made anew before the next packet */
bool ctfmeta_is_stale(const struct ctfmeta *m, const struct src_strings *strs);
/** ctfmeta_text() - append the metadata; clears what makes it stale */
void ctfmeta_text(struct ctfmeta *m, const struct src_strings *strs, struct outbuf *o);

#endif /* BEAMTAP_CTFMETA_H */
