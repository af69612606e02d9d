/* SPDX-License-Identifier: GPL-2.0 */
/* desc.h - what the catalogue says of an event's words, and its tracepoint */
#ifndef BTAP_DESC_H
#define BTAP_DESC_H

#include <beamtap/records.h>
#include "text.h"

/* What is done with a word; a projection of the catalogue's types. */
enum btap_kind {
	BTAP_KIND_NUM,
	BTAP_KIND_INT,
	BTAP_KIND_TERM,
	BTAP_KIND_MFA,
	BTAP_KIND_STR,
	BTAP_KIND_TEXT,
};

struct btap_desc {
	const u8 *kinds; /* enum btap_kind, one a field; NULL: no such event */
	u8 nr_fields;
	u8 nr_required;
};

extern const struct btap_desc btap_desc_of[BTAP_MAX_EVENTS];

/* No event has more fields, or needs more bytes for texts that are made here. */
#define BTAP_DESC_FIELDS 16
#define BTAP_DESC_BUF	 (2 * BTAP_TEXT_MFA + 2 * BTAP_TEXT_TERM)

/* btap_desc_fire() - fire the tracepoint of a known event; @val: one a field */
void btap_desc_fire(unsigned int event, u32 region, const struct btap_val *val);

#endif /* BTAP_DESC_H */
