// SPDX-License-Identifier: Apache-2.0
/* bvar.c - built-in variables, and the text of a VM's values */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "drun/bvar.h"
#include "drun/eproc.h"
#include "drun/stack.h"
#include "event/term.h"

/* -- text of terms -- */

static struct term_vm *terms_of(struct run *r, unsigned int vm)
{
	if (!r->src || vm >= r->src->nr_vms)
		return NULL;
	if (!r->terms) {
		r->terms = calloc(r->src->nr_vms, sizeof(*r->terms));
		if (!r->terms)
			return NULL;
		r->nr_terms = r->src->nr_vms;
		for (uint32_t i = 0; i < r->nr_terms; i++)
			term_init(&r->terms[i], &r->src->vms[i], 0);
		outbuf_init(&r->term_buf, -1);
	}
	return vm < r->nr_terms ? &r->terms[vm] : NULL;
}

static bool knows(const struct src_strings *strs, uint64_t number)
{
	return src_atom(strs, BTAP_ATOM_TERM(number), NULL) != NULL;
}

long bvar_resolve(void *ctx, unsigned int kind, unsigned int vm, uint64_t word, char *buf, size_t size)
{
	struct run *r = ctx;
	struct term_vm *t = terms_of(r, vm);
	bool is_final = true;
	const char *s;
	size_t n;

	if (!t)
		return -1;
	r->term_buf.len = 0;
	switch (kind) {
	case DESC_mfa:
		if (word) {
			term_put_mfa(&r->term_buf, t, word);
			is_final = knows(t->strs, BTAP_MFA_MODULE(word)) && knows(t->strs, BTAP_MFA_FUNCTION(word));
		} else {
			outbuf_char(&r->term_buf, '?');
		}
		break;
	case DESC_str:
		s = word ? src_string(t->strs, word, &n) : NULL;
		if (s)
			outbuf_mem(&r->term_buf, s, n);
		else
			outbuf_char(&r->term_buf, '?');
		is_final = s || !word;
		break;
	default:
		term_put(&r->term_buf, t, word);
		is_final = !term_is_atom(word) || src_atom(t->strs, word, NULL);
	}
	n = r->term_buf.len < size ? r->term_buf.len : size;
	memcpy(buf, r->term_buf.buf, n);
	return is_final ? (long)n : -(long)n - 1;
}

/* -- built-in variables -- */

static uint64_t text(struct vm *vm, const char *s)
{
	return str_word(str_intern_text(&vm->pool, s, strlen(s)));
}

static uint64_t link_text(struct vm *vm, const char *path)
{
	char buf[4096];
	ssize_t n = readlink(path, buf, sizeof(buf) - 1);

	if (n < 0)
		n = 0;
	return str_word(str_intern_text(&vm->pool, buf, (size_t)n));
}

/* Of BEGIN, ticks and the like: the process that traces. */
static uint64_t of_tracer(struct vm *vm, enum dprog_bvar id)
{
	switch (id) {
	case DPROG_V_PID:
	case DPROG_V_TID:
		return (uint64_t)getpid();
	case DPROG_V_PPID:
		return (uint64_t)getppid();
	case DPROG_V_EXECNAME:
		return text(vm, "dtrace");
	case DPROG_V_UID:
		return getuid();
	case DPROG_V_GID:
		return getgid();
	case DPROG_V_CWD:
		return link_text(vm, "/proc/self/cwd");
	case DPROG_V_ROOT:
		return link_text(vm, "/proc/self/root");
	default:
		return 0;
	}
}

/*
 * Whose process a VM is: asked once, of /proc, while it lives in our pid namespace.  Over
 * a recording, or where it cannot be seen, all bits are set: 0 would be root.
 */
struct bvar_ids {
	bool is_asked;
	uint64_t uid, gid, ppid;
};

static bool is_here(const struct run *r, const struct btap_facts *f)
{
	struct stat st;

	return r->opts.is_live && !stat("/proc/self/ns/pid", &st) && (!f->pidns_inode || st.st_ino == f->pidns_inode);
}

static void ask_ids(const struct run *r, const struct btap_facts *f, struct bvar_ids *ids)
{
	char path[64], line[256];
	unsigned long v;
	FILE *file;

	*ids = (struct bvar_ids){ true, UINT32_MAX, UINT32_MAX, 0 };
	if (!is_here(r, f))
		return;
	snprintf(path, sizeof(path), "/proc/%u/status", f->os_pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Uid: %lu", &v) == 1)
			ids->uid = v;
		else if (sscanf(line, "Gid: %lu", &v) == 1)
			ids->gid = v;
		else if (sscanf(line, "PPid: %lu", &v) == 1)
			ids->ppid = v;
	}
	if (file)
		fclose(file);
}

static uint64_t id_of(struct run *r, uint32_t vm, enum dprog_bvar id)
{
	struct bvar_ids none = { false, UINT32_MAX, UINT32_MAX, 0 }, *ids;

	if (!r->ids)
		r->ids = calloc(r->src->nr_vms, sizeof(*r->ids));
	ids = r->ids ? &r->ids[vm] : &none;
	if (r->ids && !ids->is_asked)
		ask_ids(r, &r->src->vms[vm].facts, ids);
	return id == DPROG_V_UID ? ids->uid : id == DPROG_V_GID ? ids->gid : ids->ppid;
}

/* A link of the VM's process in /proc; "" where that cannot be read. */
static uint64_t link_of(struct run *r, struct vm *vm, const struct btap_facts *f, const char *which)
{
	char path[64];

	if (!is_here(r, f))
		return text(vm, "");
	snprintf(path, sizeof(path), "/proc/%u/%s", f->os_pid, which);
	return link_text(vm, path);
}

static uint64_t lazy(struct vm *vm, unsigned int kind, uint64_t word)
{
	return word ? str_word(str_lazy(&vm->pool, kind, vm->ev.who.vm, word)) : 0;
}

static uint64_t of_vm(struct run *r, struct vm *vm, enum dprog_bvar id)
{
	const struct src_vm *v = &r->src->vms[vm->ev.who.vm];
	const struct src_thread *t = src_thread(r->src, vm->ev.who.thread);

	switch (id) {
	case DPROG_V_PID:
		return v->facts.os_pid;
	case DPROG_V_TID:
		return t->tid;
	case DPROG_V_EXECNAME:
		return text(vm, v->facts.emulator);
	case DPROG_V_PPID:
	case DPROG_V_UID:
	case DPROG_V_GID:
		return id_of(r, vm->ev.who.vm, id);
	case DPROG_V_ENODE:
		return text(vm, v->facts.node);
	case DPROG_V_ESCHED:
		return t->kind == BTAP_THREAD_SCHEDULER ? t->number : 0;
	case DPROG_V_EPROC:
		return lazy(vm, DESC_pid, vm->ev.who.proc);
	case DPROG_V_ENAME:
		return lazy(vm, DESC_atom, eproc_name(r->eproc, vm->ev.who.vm, vm->ev.who.proc));
	case DPROG_V_EFUNC:
		return lazy(vm, DESC_mfa, eproc_func(r->eproc, vm->ev.who.thread));
	case DPROG_V_EPORT:
		return lazy(vm, DESC_port, eproc_port(r->eproc, vm->ev.who.thread));
	case DPROG_V_VTIMESTAMP:
		return eproc_ran(r->eproc, vm->ev.who.thread, vm->ev.ts);
	case DPROG_V_CWD:
		return link_of(r, vm, &v->facts, "cwd");
	case DPROG_V_ROOT:
		return link_of(r, vm, &v->facts, "root");
	default:
		return 0;
	}
}

static uint64_t bvar(void *ctx, struct vm *vm, enum dprog_bvar id)
{
	struct run *r = ctx;

	if (vm->ev.who.thread == VARS_NO_THREAD)
		return of_tracer(vm, id);
	return of_vm(r, vm, id);
}

static uint64_t epoch_offset(void *ctx, uint32_t vm)
{
	struct run *r = ctx;
	struct timespec real, mono;

	if (r->src && vm < r->src->nr_vms)
		return r->src->vms[vm].facts.real_ns - r->src->vms[vm].facts.mono_ns;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	return (uint64_t)(real.tv_sec - mono.tv_sec) * 1000000000 + (uint64_t)(real.tv_nsec - mono.tv_nsec);
}

/* Is the process that fired @pid or a descendant of it?  What /proc says now. */
static bool progenyof(void *ctx, struct vm *vm, int64_t pid)
{
	int64_t at = (int64_t)bvar(ctx, vm, DPROG_V_PID);

	for (int depth = 0; at > 0 && depth < 1000; depth++) {
		char path[40], line[512], *p;
		FILE *f;

		if (at == pid)
			return true;
		snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)at);
		f = fopen(path, "re");
		if (!f)
			return false;
		p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
		fclose(f);
		if (!p || strlen(p) < 4)
			return false;
		at = strtoll(p + 4, NULL, 10); /* ") S ppid" */
	}
	return false;
}

/* raise() of a live process; over a recording, and what else there is, are refused. */
static void destroy(void *ctx, struct vm *vm, const struct dprog_action *act, uint64_t value)
{
	struct run *r = ctx;
	pid_t pid = (pid_t)bvar(ctx, vm, DPROG_V_PID);

	if (vm->ev.who.thread != VARS_NO_THREAD && !r->opts.is_live)
		return;
	if (pid <= 0)
		return;
	if (act->kind == DPROG_ACT_RAISE)
		kill(pid, (int)value);
	else if (act->kind == DPROG_ACT_STOP)
		kill(pid, SIGSTOP);
}

void bvar_init(struct run *r, struct vm_env *env)
{
	*env = (struct vm_env){ .ctx = r, .bvar = bvar, .progenyof = progenyof, .stack = stack_text,
				.epoch_offset = epoch_offset, .destroy = destroy };
}

void bvar_fini(struct run *r)
{
	for (uint32_t i = 0; i < r->nr_terms; i++)
		term_fini(&r->terms[i]);
	if (r->terms)
		outbuf_fini(&r->term_buf);
	free(r->terms);
	free(r->ids);
	r->ids = NULL;
	r->terms = NULL;
}
