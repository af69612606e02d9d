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

void btap_text_term(struct btap_val *v, const struct btap_region *r, u64 term, char *buf)
{
	const struct btap_facts *f = &r->facts;
	const struct btap_strtab_entry *e;

	if (!term) {
		set(v, "?", 1);
	} else if ((term & BTAP_TAG_MASK4) == BTAP_TAG_PID) {
		set(v, buf,
		    scnprintf(buf, BTAP_TEXT_TERM, "<0.%llu.%llu>",
			      bits(term, f->pid_shift, f->pid_number_bits),
			      bits(term, f->pid_shift + f->pid_number_bits, f->pid_serial_bits)));
	} else if ((term & BTAP_TAG_MASK4) == BTAP_TAG_PORT) {
		set(v, buf,
		    scnprintf(buf, BTAP_TEXT_TERM, "#Port<0.%llu>",
			      bits(term, f->port_shift, f->port_number_bits)));
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

	if (!mfa) {
		set(v, "?", 1);
		return;
	}
	btap_text_term(&m, r, BTAP_ATOM_TERM(BTAP_MFA_MODULE(mfa)), m_buf);
	btap_text_term(&f, r, BTAP_ATOM_TERM(BTAP_MFA_FUNCTION(mfa)), f_buf);
	n = snprintf(buf, BTAP_TEXT_MFA, "%s:%s/%u", m.text, f.text, BTAP_MFA_ARITY(mfa));
	if (n >= BTAP_TEXT_MFA) {
		n = BTAP_TEXT_MFA - 4;
		while (n && ((unsigned char)buf[n] & 0xc0) == 0x80)
			n--;
		memcpy(buf + n, "...", 4);
		n += 3;
	}
	set(v, buf, n);
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
