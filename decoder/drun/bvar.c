// SPDX-License-Identifier: Apache-2.0
/* bvar.c - built-in variables, and the text of a VM's values */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "drun/bvar.h"
#include "drun/eproc.h"
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
	case DPROG_V_UID:
		return getuid();
	case DPROG_V_GID:
		return getgid();
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
	case DPROG_V_CWD:
	case DPROG_V_ROOT:
		return text(vm, "");
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

/* Of the VM's threads only Erlang frames are known, and of these the function that runs. */
static uint64_t stack(void *ctx, struct vm *vm, enum dprog_stack kind, uint32_t frames)
{
	struct run *r = ctx;
	uint64_t func;

	if (kind != DPROG_STACK_ERLANG || !r->eproc || vm->ev.who.thread == VARS_NO_THREAD)
		return 0;
	func = eproc_func(r->eproc, vm->ev.who.thread);
	return func ? vm_keep(vm, lazy(vm, DESC_mfa, func)) : 0;
}

void bvar_init(struct run *r, struct vm_env *env)
{
	*env = (struct vm_env){ .ctx = r, .bvar = bvar, .progenyof = progenyof, .stack = stack,
				.epoch_offset = epoch_offset, .destroy = destroy };
}

void bvar_fini(struct run *r)
{
	for (uint32_t i = 0; i < r->nr_terms; i++)
		term_fini(&r->terms[i]);
	if (r->terms)
		outbuf_fini(&r->term_buf);
	free(r->terms);
	r->terms = NULL;
}
