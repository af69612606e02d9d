// SPDX-License-Identifier: Apache-2.0
/* list.c - beamtap list: the nodes that can be tapped, and the probes of one */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/target.h"
#include "event/desc.h"
#include "provider/erlang.h"

enum { OPT_REGION = 256 };

/* clang-format off */
static const struct cli_opt opts[] = {
	{ 'p',        "pid",    "PID|NAME", "the probes of this node" },
	{ OPT_REGION, "region", "FILE",     "the probes of the node that this region is of" },
	{ 'e',        "event",  "GLOB",     "with -p: only probes that match" },
	{ 'v',        "verbose", NULL,      "with -p: arguments with unit and meaning" },
	{ 0 },
};
/* clang-format on */

static const char *life_text(const struct region_info *i)
{
	if (i->err)
		return i->err == -EACCES ? "no access" : "unreadable";
	return i->life == REGION_LIVE ? "alive" : i->life == REGION_CLOSED ? "closed" : "dead";
}

static void print_node(const struct region_info *i)
{
	char pid[32], otp[32];

	if (i->err) {
		printf("%-12s %-9s %s: %s\n", "-", life_text(i), i->path,
		       i->err == -EACCES ? "run beamtap as its user or as root"
		       : i->why[0]	   ? i->why
					   : strerror(-i->err));
		return;
	}
	if (i->pid && (uint32_t)i->pid != i->facts.os_pid)
		snprintf(pid, sizeof(pid), "%d(%u)", (int)i->pid, i->facts.os_pid);
	else
		snprintf(pid, sizeof(pid), "%u", i->facts.os_pid);
	snprintf(otp, sizeof(otp), "%u/%.8s", i->facts.otp_release, i->facts.jit ? "jit" : "emu");
	printf("%-12s %-9s %-6s %-7s %5.1f MiB %5u %7u  %s\n", pid, life_text(i),
	       i->facts.way == BTAP_WAY_HOOKS ? "hooks" : "agent", otp, (double)i->size / 1048576,
	       i->nr_threads, i->nr_leases, i->facts.node);
}

static int list_nodes(void)
{
	struct diag d = DIAG_INIT;
	struct region_info *infos;
	size_t nr;

	if (region_list(&infos, &nr, &d) < 0)
		return cli_fail("list", &d);
	if (!nr)
		printf("no node can be tapped: start the agent in one (`beamtap:start()`, or `erl "
		       "-s beamtap`)\n");
	else
		printf("%-12s %-9s %-6s %-7s %9s %5s %7s  %s\n", "PID", "STATE", "WAY", "OTP",
		       "REGION", "RINGS", "READERS", "NODE");
	for (size_t i = 0; i < nr; i++)
		print_node(&infos[i]);
	free(infos);
	return CLI_OK;
}

/* -- the probes of one -- */

struct listing {
	bool is_verbose;
	uint32_t nr;
};

static int print_probe(void *ctx, struct provider_probe *p)
{
	struct listing *l = ctx;
	const char *name = p->name;

	/* A number each, all alike: one line stands for them. */
	if (p->number > 0)
		return 0;
	l->nr++;
	printf("%-3s %-28s", p->flags & PROVIDER_ABLE ? "yes" : "no",
	       p->number == 0 ? "user_trace-n0 to -n950" : name);
	for (unsigned int i = 0; i < p->kind->nr_args; i++) {
		const struct provider_arg *a = &p->kind->args[i];

		if (a->field >= 0 && !l->is_verbose)
			printf("%s%s%s %s%s", i ? ", " : " ", a->is_opt ? "[" : "", a->dtype,
			       a->name, a->is_opt ? "]" : "");
	}
	printf("%s%s\n", l->is_verbose ? " " : "", l->is_verbose ? p->kind->doc : "");
	for (unsigned int i = 0; l->is_verbose && i < p->kind->nr_args; i++) {
		const struct provider_arg *a = &p->kind->args[i];

		if (a->field >= 0)
			printf("      args[%u] %-9s %-14s %s%s%s%s%s\n", i, a->dtype, a->name,
			       a->doc, strcmp(a->unit, "-") ? " (" : "",
			       strcmp(a->unit, "-") ? a->unit : "", strcmp(a->unit, "-") ? ")" : "",
			       a->is_opt ? "; not always there" : "");
	}
	return 0;
}

static int list_probes(struct region *r, const char *glob, bool is_verbose)
{
	const struct src *s = region_src(r);
	const struct btap_facts *f = &s->vms[0].facts;
	struct provider_set *set = provider_set_new();
	struct listing l = { .is_verbose = is_verbose };
	struct match m = { 0 };
	struct diag d = DIAG_INIT;
	char why[160];
	int err = 0;

	if (!set || erlang_provide(set, s->vms, s->nr_vms, &d) || match_add(&m, glob, &d)) {
		provider_set_free(set);
		return cli_fail("list", &d);
	}
	region_alive(r, why, sizeof(why));
	printf("%s: OTP %u, erts %s, %s, %s; %s; %u rings\n\n", f->node, f->otp_release,
	       f->erts_version, f->jit ? "JIT" : "interpreter",
	       f->way != BTAP_WAY_HOOKS				    ? "agent"
	       : f->able[BTAP_EV_stack / 64] >> BTAP_EV_stack % 64 & 1 ? "hooks compiled in, with stacks"
								    : "hooks compiled in",
	       why, s->nr_threads);
	printf("%-3s %-28s %s\n", "CAN", "PROBE",
	       is_verbose ? "" : "ARGUMENTS ([] may be missing)");
	for (unsigned int i = 0; i < m.nr && err >= 0; i++)
		err = provider_each(set, &m.descs[i], print_probe, &l);
	if (!l.nr) {
		char near[300];

		provider_suggest(set, &m.descs[0], near, sizeof(near));
		diag_fail(&d, -ENOENT, "no probe matches %s%s%s", glob,
			  *near ? "; the nearest: " : "", near);
		err = cli_fail("list", &d);
	}
	match_fini(&m);
	provider_set_free(set);
	return l.nr ? CLI_OK : err;
}

int list_main(int argc, char **argv)
{
	struct cli_args a = {
		.name = "list",
		.synopsis = "beamtap list\n       beamtap list -p PID|NAME [-e GLOB] [-v]",
		.about = "Shows the nodes that can be tapped, dead ones too whose rings are still "
			 "there; or the\n"
			 "probes of one: whether each can fire in it, and its arguments.",
		.opts = opts,
		.argc = argc,
		.argv = argv,
		.at = 1,
	};
	const char *target = NULL, *path = NULL, *glob = NULL;
	struct diag d = DIAG_INIT;
	bool is_verbose = false;
	struct region *r;
	int o, status;

	while ((o = cli_next(&a)) != CLI_END) {
		if (o == CLI_HELP)
			return CLI_OK;
		if (o == 'p')
			target = a.value;
		else if (o == OPT_REGION)
			path = a.value;
		else if (o == 'e')
			glob = a.value;
		else if (o == 'v')
			is_verbose = true;
		else if (o == CLI_OPERAND)
			return cli_usage(&a, "what is '%s' for? A node is named by -p", a.value);
		else
			return CLI_USAGE;
	}
	if (target && path)
		return cli_usage(&a, "-p and --region name two nodes");
	if (!target && !path)
		return glob || is_verbose ? cli_usage(&a, "-e and -v go with -p") : list_nodes();
	if (path ? region_open(&r, path, NULL, &d) : target_open(&r, target, NULL, &d))
		return cli_fail("list", &d);
	status = list_probes(r, glob ? glob : "*", is_verbose);
	src_close(region_src(r));
	return status;
}
