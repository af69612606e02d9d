// SPDX-License-Identifier: GPL-2.0
/* desc.c - what the catalogue says of an event's words, and its tracepoint */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include "desc.h"
#include "trace.h"

#define BTAP_KIND_pid   BTAP_KIND_TERM
#define BTAP_KIND_port  BTAP_KIND_TERM
#define BTAP_KIND_ident BTAP_KIND_TERM
#define BTAP_KIND_atom  BTAP_KIND_TERM
#define BTAP_KIND_mfa   BTAP_KIND_MFA
#define BTAP_KIND_str   BTAP_KIND_STR
#define BTAP_KIND_text  BTAP_KIND_TEXT
#define BTAP_KIND_words BTAP_KIND_NUM
#define BTAP_KIND_bytes BTAP_KIND_NUM
#define BTAP_KIND_count BTAP_KIND_NUM
#define BTAP_KIND_ns    BTAP_KIND_NUM
#define BTAP_KIND_int   BTAP_KIND_INT
#define BTAP_KIND_u64   BTAP_KIND_NUM
#define BTAP_KIND_hex   BTAP_KIND_NUM
#define BTAP_KIND_msgid BTAP_KIND_NUM

#define NEED_req 1
#define NEED_opt 0

#define AS_KIND(t, n, arg, need, doc) BTAP_KIND_##t,
#define AS_KINDS(id, ev, usdt, doc) static const u8 kinds_##ev[] = { BTAP_FIELDS_##ev(AS_KIND) };
BTAP_EVENTS(AS_KINDS)
#undef AS_KINDS
#undef AS_KIND

#define AS_NEED(t, n, arg, need, doc) + NEED_##need
#define AS_DESC(id, ev, usdt, doc)                                       \
	[id] = { kinds_##ev, ARRAY_SIZE(kinds_##ev), 0 BTAP_FIELDS_##ev(AS_NEED) },
const struct btap_desc btap_desc_of[BTAP_MAX_EVENTS] = { BTAP_EVENTS(AS_DESC) };
#undef AS_DESC
#undef AS_NEED

#define BUF_TEXT_(kind)                                                  \
	((kind) == BTAP_KIND_MFA ? BTAP_TEXT_MFA :                            \
	 (kind) == BTAP_KIND_TERM || (kind) == BTAP_KIND_STR ? BTAP_TEXT_TERM : 0)
#define AS_BUF(t, n, arg, need, doc) + BUF_TEXT_(BTAP_KIND_##t)
#define AS_ONE(t, n, arg, need, doc) + 1
#define AS_CHECK(id, ev, usdt, doc)                                      \
	static_assert((0 BTAP_FIELDS_##ev(AS_BUF)) <= BTAP_DESC_BUF);        \
	static_assert((0 BTAP_FIELDS_##ev(AS_ONE)) <= BTAP_DESC_FIELDS);       \
	static_assert(sizeof(struct btap_args_##ev) ==                   \
		      (0 BTAP_FIELDS_##ev(AS_ONE)) * sizeof(struct btap_val));
BTAP_EVENTS(AS_CHECK)
#undef AS_CHECK
#undef AS_ONE
#undef AS_BUF

void btap_desc_fire(unsigned int event, u32 region, const struct btap_val *val)
{
	switch (event) {
#define AS_FIRE(id, ev, usdt, doc)                                       \
	case id:                                                         \
		trace_##ev(region, (const struct btap_args_##ev *)val);  \
		break;
	BTAP_EVENTS(AS_FIRE)
#undef AS_FIRE
	}
}
