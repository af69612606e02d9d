/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tab.h - tables of the report, and how its numbers and names are written
 *
 * Numbers that measure have three significant digits and a unit (1.23 ms); what
 * is counted is written in full.
 */
#ifndef BEAMTAP_REPORT_TAB_H
#define BEAMTAP_REPORT_TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "report/sect.h"

#define TAB_COLS  14
#define TAB_CELL  96 /* bytes, NUL included */
#define TAB_WIDTH 80 /* columns a line may take */
#define TAB_NAME  60 /* columns of a process and its name, before a table cuts it */
#define TAB_TABLE 99 /* columns a table may take: its widest texts are cut to that */
#define TAB_MIN	  16 /* columns that a text keeps */

struct tab_col {
	const char *head;
	bool is_left; /* text to the left; numbers stand to the right */
	bool is_off;  /* the events for it were not recorded: left out */
};

struct tab {
	struct tab_col cols[TAB_COLS];
	unsigned int nr_cols;
	char (*cells)[TAB_CELL]; /* rows of nr_cols */
	unsigned int nr_rows, cap;
};

/** tab_col() - add a column; all of them come before the first row */
void tab_col(struct tab *t, const char *head, bool is_left, bool is_off);
/** tab_row() - begin a row of empty cells */
void tab_row(struct tab *t);
/** tab_cell() - a cell of the row begun last.  Return: its TAB_CELL bytes */
char *tab_cell(struct tab *t, unsigned int col);
/** tab_print() - write the table, two blanks before each line, and free its rows */
void tab_print(struct tab *t, FILE *f);

/* Each writes at most TAB_CELL bytes, NUL included, and returns @buf. */
char *tab_ns(char *buf, uint64_t ns);			   /* 1.23 ms */
char *tab_count(char *buf, uint64_t n);			   /* 1234567 */
char *tab_bytes(char *buf, uint64_t bytes);		   /* 1.23 MiB */
char *tab_rate(char *buf, uint64_t n, uint64_t span_ns);   /* 1.23 k/s; - without a span */
char *tab_share(char *buf, uint64_t part, uint64_t whole); /* 12.3% */

/** tab_text() - foreign text, escaped and cut to @width columns with "..." */
char *tab_text(char *buf, const char *s, size_t len, unsigned int width);
/** tab_ent() - process, port or name, with registered name or first function, cut to TAB_NAME */
char *tab_ent(struct report *r, char *buf, const struct ent *e);
/** tab_term() - the same of a term that need not be known */
char *tab_term(struct report *r, char *buf, uint32_t vm, uint64_t term);
/** tab_mfa() - function, cut to @width; "?" for none */
char *tab_mfa(struct report *r, char *buf, uint32_t vm, uint64_t mfa, unsigned int width);
/** tab_reason() - a process's reason or other text, escaped; with --redact its size alone */
char *tab_reason(struct report *r, char *buf, const char *s, size_t len, unsigned int width);
/** tab_node() - name of a node; for the column that is there when there are several */
char *tab_node(struct report *r, char *buf, uint32_t vm);

/** tab_before() - order by node, then number, then serial of pids and ports.  Return: <0, 0, >0 */
int tab_before(const struct report *r, uint32_t vm_a, uint64_t a, uint32_t vm_b, uint64_t b);

#endif /* BEAMTAP_REPORT_TAB_H */
