// SPDX-License-Identifier: GPL-2.0
/* trace.c - the tracepoints' code */
#include <linux/string.h>

#define CREATE_TRACE_POINTS
#include "trace.h"
