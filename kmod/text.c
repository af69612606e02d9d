// SPDX-License-Identifier: GPL-2.0
/* text.c - the VM's terms as text */
#include <linux/kernel.h>
#include <linux/string.h>
#include <beamtap/region.h>
#include "region.h"
#include "strtab.h"
#include "text.h"

void btap_text_clean(char *s, unsigned int len)
{
	unsigned char *p = (unsigned char *)s;
	unsigned int i;

	for (i = 0; i < len; i++) {
		if (p[i] < 0x20 || p[i] == 0x7f) {
			p[i] = '?';
		} else if (p[i] == 0xc2 && i + 1 < len && p[i + 1] >= 0x80 && p[i + 1] < 0xa0) {
			/* U+0080 to U+009f: control characters, too */
			p[i++] = '?';
			p[i] = '?';
		}
	}
}

unsigned int btap_text_copy(char *to, unsigned int max, const char *from, unsigned int len)
{
	bool is_cut = len > max;

	if (is_cut) {
		len = max - 3;
		while (len && ((unsigned char)from[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(to, from, len);
	btap_text_clean(to, len);
	if (is_cut) {
		memcpy(to + len, "...", 3);
		len += 3;
	}
	to[len] = '\0';
	return len;
}

static void set(struct btap_val *v, const char *text, u32 len)
{
	v->text = text;
	v->len = len;
}

static u64 bits(u64 w, unsigned int shift, unsigned int n)
{
	/* btap_region_publish() has seen to it that neither reaches 64. */
	return w >> shift & ((1ULL << n) - 1);
}

/* Called for each pid of each record: less work than vsnprintf(). */
static char *put_u64(char *p, u64 v)
{
	char digits[20];
	unsigned int n = 0;

	do {
		digits[n++] = '0' + v % 10;
		v /= 10;
	} while (v);
	while (n)
		*p++ = digits[--n];
	return p;
}

static char *put(char *p, const char *text, unsigned int len)
{
	memcpy(p, text, len);
	return p + len;
}

/* What lies from @buf to @end is the text. */
static void set_until(struct btap_val *v, char *buf, char *end)
{
	*end = '\0';
	set(v, buf, end - buf);
}

void btap_text_term(struct btap_val *v, const struct btap_region *r, u64 term, char *buf)
{
	const struct btap_facts *f = &r->facts;
	const struct btap_strtab_entry *e;
	char *p;

	if (!term) {
		set(v, "?", 1);
	} else if ((term & BTAP_TAG_MASK4) == BTAP_TAG_PID) {
		p = put_u64(put(buf, "<0.", 3), bits(term, f->pid_shift, f->pid_number_bits));
		*p++ = '.';
		p = put_u64(p, bits(term, f->pid_shift + f->pid_number_bits, f->pid_serial_bits));
		*p++ = '>';
		set_until(v, buf, p);
	} else if ((term & BTAP_TAG_MASK4) == BTAP_TAG_PORT) {
		p = put_u64(put(buf, "#Port<0.", 8), bits(term, f->port_shift, f->port_number_bits));
		*p++ = '>';
		set_until(v, buf, p);
	} else if ((term & BTAP_TAG_MASK6) == BTAP_TAG_ATOM) {
		e = btap_strtab_find(&r->strings, BTAP_STRING_ATOM, term);
		if (e)
			set(v, e->text, e->len);
		else
			set(v, buf,
			    scnprintf(buf, BTAP_TEXT_TERM, "#Atom<%llu>",
				      (u64)BTAP_ATOM_NUMBER(term)));
	} else {
		set(v, buf, scnprintf(buf, BTAP_TEXT_TERM, "#Term<%#llx>", term));
	}
}

void btap_text_mfa(struct btap_val *v, const struct btap_region *r, u64 mfa, char *buf)
{
	char m_buf[BTAP_TEXT_TERM], f_buf[BTAP_TEXT_TERM];
	struct btap_val m, f;
	unsigned int n;
	char *p;

	if (!mfa) {
		set(v, "?", 1);
		return;
	}
	btap_text_term(&m, r, BTAP_ATOM_TERM(BTAP_MFA_MODULE(mfa)), m_buf);
	btap_text_term(&f, r, BTAP_ATOM_TERM(BTAP_MFA_FUNCTION(mfa)), f_buf);
	/* Behind the two names and the colon: `/255` and NUL. */
	if (m.len + 1 + f.len + 5 <= BTAP_TEXT_MFA) {
		p = put(buf, m.text, m.len);
		*p++ = ':';
		p = put(p, f.text, f.len);
		*p++ = '/';
		set_until(v, buf, put_u64(p, BTAP_MFA_ARITY(mfa)));
		return;
	}
	snprintf(buf, BTAP_TEXT_MFA, "%s:%s/%u", m.text, f.text, BTAP_MFA_ARITY(mfa));
	n = BTAP_TEXT_MFA - 4;
	while (n && ((unsigned char)buf[n] & 0xc0) == 0x80)
		n--;
	memcpy(buf + n, "...", 4);
	set(v, buf, n + 3);
}

void btap_text_str(struct btap_val *v, const struct btap_region *r, u64 number, char *buf)
{
	const struct btap_strtab_entry *e = NULL;

	if (number)
		e = btap_strtab_find(&r->strings, BTAP_STRING_NAME, number);
	if (e)
		set(v, e->text, e->len);
	else if (!number)
		set(v, "?", 1);
	else
		set(v, buf, scnprintf(buf, BTAP_TEXT_TERM, "#Name<%llu>", number));
}
