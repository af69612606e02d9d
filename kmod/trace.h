/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.h - the catalogue's events as tracepoints `beamtap:<event>`
 *
 * A word is a field of the catalogue's type; what is text for people is a string.
 * Strings are __dynamic_array, not __string: that has changed its arguments
 * between the kernels that this is built for.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM beamtap

#if !defined(BTAP_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)

#include <linux/tracepoint.h>
#include <linux/limits.h>
#include <beamtap/records.h>
#include "enable.h"
#include "text.h"

#ifndef BTAP_TRACE_H
/* Per event: struct btap_args_message_send { struct btap_val sender, receiver, ...; } */
#define AS_VAL(t, n, arg, need, doc) struct btap_val n;
#define AS_ARGS(id, ev, usdt, doc) struct btap_args_##ev { BTAP_FIELDS_##ev(AS_VAL) };
BTAP_EVENTS(AS_ARGS)
#undef AS_ARGS
#undef AS_VAL

/* What the kernel calls for the first and after the last user. */
#define AS_SWITCH(id, ev, usdt, doc)                                        \
	static inline __maybe_unused int btap_enable_on_##ev(void)          \
	{                                                                   \
		btap_enable_set(id, true);                                  \
		return 0;                                                   \
	}                                                                   \
	static inline __maybe_unused void btap_enable_off_##ev(void)        \
	{                                                                   \
		btap_enable_set(id, false);                                 \
	}
BTAP_EVENTS(AS_SWITCH)
#undef AS_SWITCH
#endif

/* -- the types, four times: field, value, format, argument to print -- */
#define TP_FIELD_TEXT_(n) __dynamic_array(char, n, a->n.len + 1)
#define TP_SET_TEXT_(n)                                                  \
	memcpy(__get_dynamic_array(n), a->n.text, a->n.len);             \
	((char *)__get_dynamic_array(n))[a->n.len] = '\0';
#define TP_FMT_TEXT_ "=%s"
#define TP_ARG_TEXT_(n) , __get_str(n)
#define TP_FIELD_S64_(n) __field(s64, n)
#define TP_FIELD_U64_(n) __field(u64, n)
#define TP_SET_NUM_(n) __entry->n = a->n.num;
#define TP_ARG_NUM_(n) , __entry->n

#define TP_FIELD_pid   TP_FIELD_TEXT_
#define TP_FIELD_port  TP_FIELD_TEXT_
#define TP_FIELD_ident TP_FIELD_TEXT_
#define TP_FIELD_atom  TP_FIELD_TEXT_
#define TP_FIELD_mfa   TP_FIELD_TEXT_
#define TP_FIELD_str   TP_FIELD_TEXT_
#define TP_FIELD_text  TP_FIELD_TEXT_
#define TP_FIELD_words TP_FIELD_S64_
#define TP_FIELD_bytes TP_FIELD_S64_
#define TP_FIELD_count TP_FIELD_S64_
#define TP_FIELD_ns    TP_FIELD_S64_
#define TP_FIELD_int(n) __field(int, n)
#define TP_FIELD_u64   TP_FIELD_U64_
#define TP_FIELD_hex   TP_FIELD_U64_
#define TP_FIELD_msgid TP_FIELD_U64_

#define TP_SET_pid   TP_SET_TEXT_
#define TP_SET_port  TP_SET_TEXT_
#define TP_SET_ident TP_SET_TEXT_
#define TP_SET_atom  TP_SET_TEXT_
#define TP_SET_mfa   TP_SET_TEXT_
#define TP_SET_str   TP_SET_TEXT_
#define TP_SET_text  TP_SET_TEXT_
#define TP_SET_words TP_SET_NUM_
#define TP_SET_bytes TP_SET_NUM_
#define TP_SET_count TP_SET_NUM_
#define TP_SET_ns    TP_SET_NUM_
#define TP_SET_int   TP_SET_NUM_
#define TP_SET_u64   TP_SET_NUM_
#define TP_SET_hex   TP_SET_NUM_
#define TP_SET_msgid TP_SET_NUM_

#define TP_FMT_pid   TP_FMT_TEXT_
#define TP_FMT_port  TP_FMT_TEXT_
#define TP_FMT_ident TP_FMT_TEXT_
#define TP_FMT_atom  TP_FMT_TEXT_
#define TP_FMT_mfa   TP_FMT_TEXT_
#define TP_FMT_str   TP_FMT_TEXT_
#define TP_FMT_text  TP_FMT_TEXT_
#define TP_FMT_words "=%lld"
#define TP_FMT_bytes "=%lld"
#define TP_FMT_count "=%lld"
#define TP_FMT_ns    "=%lld"
#define TP_FMT_int   "=%d"
#define TP_FMT_u64   "=%llu"
#define TP_FMT_hex   "=0x%llx"
#define TP_FMT_msgid "=%llu"

#define TP_ARG_pid   TP_ARG_TEXT_
#define TP_ARG_port  TP_ARG_TEXT_
#define TP_ARG_ident TP_ARG_TEXT_
#define TP_ARG_atom  TP_ARG_TEXT_
#define TP_ARG_mfa   TP_ARG_TEXT_
#define TP_ARG_str   TP_ARG_TEXT_
#define TP_ARG_text  TP_ARG_TEXT_
#define TP_ARG_words TP_ARG_NUM_
#define TP_ARG_bytes TP_ARG_NUM_
#define TP_ARG_count TP_ARG_NUM_
#define TP_ARG_ns    TP_ARG_NUM_
#define TP_ARG_int   TP_ARG_NUM_
#define TP_ARG_u64   TP_ARG_NUM_
#define TP_ARG_hex   TP_ARG_NUM_
#define TP_ARG_msgid TP_ARG_NUM_

#define AS_TP_FIELD(t, n, arg, need, doc) TP_FIELD_##t(n)
#define AS_TP_SET(t, n, arg, need, doc)	  TP_SET_##t(n)
#define AS_TP_FMT(t, n, arg, need, doc)	  " " #n TP_FMT_##t
#define AS_TP_ARG(t, n, arg, need, doc)	  TP_ARG_##t(n)

/* region comes first, so that the lists' leading comma is welcome. */
#define AS_TRACE_EVENT(id, ev, usdt, doc)                                     \
	TRACE_EVENT_FN(ev,                                                    \
		TP_PROTO(u32 region, const struct btap_args_##ev *a),         \
		TP_ARGS(region, a),                                           \
		TP_STRUCT__entry(                                             \
			__field(u32, region)                                  \
			BTAP_FIELDS_##ev(AS_TP_FIELD)                         \
		),                                                            \
		TP_fast_assign(                                               \
			__entry->region = region;                             \
			BTAP_FIELDS_##ev(AS_TP_SET)                           \
		),                                                            \
		TP_printk("region=%u" BTAP_FIELDS_##ev(AS_TP_FMT),            \
			  __entry->region BTAP_FIELDS_##ev(AS_TP_ARG)),       \
		btap_enable_on_##ev, btap_enable_off_##ev)                    \
	;

BTAP_EVENTS(AS_TRACE_EVENT)

#endif /* BTAP_TRACE_H */

#define BTAP_TRACE_H
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
