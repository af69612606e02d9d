// SPDX-License-Identifier: Apache-2.0
/* dtrace_usage.c - what beamtap dtrace takes */
#include "cli/cli.h"
#include "cli/dtrace.h"

int dtrace_usage(void)
{
	fputs("Usage: dtrace [-BCeFGhHlqSvVwZ] [-b size] [-c command] [-D name[=value]] [-f recording]\n"
	      "\t[-I directory] [-o file] [-p pid] [-s script] [-U name] [-x option[=value]]\n"
	      "\t[-X a|c|s|t] [-n name] [-P provider] [-m module] [-f function] [-i id] [argument ...]\n"
	      "\n"
	      "Where events come from (without any of these: every node that can be tapped)\n"
	      "\t-f  a recording, a region or a fixture: a path that exists\n"
	      "\t-p  the node with this process id; ends with it\n"
	      "\t-c  start this command and trace it; ends with it\n"
	      "Programs: a probe's description, perhaps with /predicate/ and { actions }\n"
	      "\t-n  [[provider:]module:]function:]name\n"
	      "\t-P  provider\n"
	      "\t-m  [provider:]module\n"
	      "\t-f  [[provider:]module:]function, where no file has this name\n"
	      "\t-i  a probe's number\n"
	      "\t-s  a script; - is standard input\n"
	      "What to do with them\n"
	      "\t-l  list the probes they name; -v with their arguments\n"
	      "\t-e  stop when they have been compiled\n"
	      "\t-S  show the code they were compiled to\n"
	      "\t-v  report the stability of what they use\n"
	      "\t-V  show the version of the language\n"
	      "\t-h  write an include file for the probes that scripts declare (-G: refused)\n"
	      "Compiling\n"
	      "\t-C  run scripts through the C preprocessor\n"
	      "\t-D, -U, -I, -H  as the preprocessor has them\n"
	      "\t-x  set an option\n"
	      "\t-X  what the preprocessor takes for C\n"
	      "\t-w  allow actions that change the system\n"
	      "\t-Z  allow descriptions that match no probe\n"
	      "Output\n"
	      "\t-b  size of the trace buffer\n"
	      "\t-B  print no data\n"
	      "\t-F  indent by entry and return\n"
	      "\t-o  append to this file\n"
	      "\t-q  print only what the programs print\n", stderr);
	return CLI_USAGE;
}
