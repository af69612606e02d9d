// SPDX-License-Identifier: Apache-2.0
/*
 * guard.c - survive a file that is truncated while it is mapped; see guard.h
 *
 * The handler looks for the innermost guard of its own thread that covers the
 * address and jumps there.  The signal is not blocked while it is handled
 * (SA_NODEFER), so that leaving by a jump needs no signal mask to be restored.
 */
#include "base/guard.h"
#include <pthread.h>
#include <signal.h>

static _Thread_local struct guard *volatile innermost;
static struct sigaction before;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void on_sigbus(int sig, siginfo_t *info, void *ctx)
{
	uintptr_t at = (uintptr_t)info->si_addr;

	for (struct guard *g = innermost; g; g = g->outer) {
		if (at >= g->lo && at < g->hi) {
			innermost = g->outer;
			siglongjmp(g->env, 1);
		}
	}
	/* Not ours: as it was before, and the fault happens again. */
	if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction) {
		before.sa_sigaction(sig, info, ctx);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(sig);
	} else {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

void guard_install(void)
{
	struct sigaction sa = { 0 }, now;

	if (sigaction(SIGBUS, NULL, &now) < 0 || now.sa_sigaction == on_sigbus)
		return;
	before = now;
	sa.sa_sigaction = on_sigbus;
	sa.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, NULL);
}

void guard_begin(struct guard *g, const void *base, size_t len)
{
	pthread_once(&once, guard_install);
	g->lo = (uintptr_t)base;
	g->hi = g->lo + len;
	g->outer = innermost;
	innermost = g;
}

void guard_end(struct guard *g)
{
	innermost = g->outer;
}
