#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Medians of what bench_otp.erl printed, as the tables of docs/otp.md.

    table.py FILE

A line is `VM KIND MODE NANOSECONDS`.  Columns: ns an operation of each; `off/stock` beside `A/A`
(two stock VMs); then with a recorder: `on/quiet`, nothing for it beside all, and what one event
adds, in ns.
"""
import collections
import statistics
import sys

EVENTS = {"send": 1, "receive": 1, "queued": 1, "in_out": 2, "spawn_exit": 2, "gc": 2, "call": 1,
          "call_return": 2, "ping": 8}


def main(path):
    t = collections.defaultdict(list)
    lost = total = 0
    for line in open(path, errors="replace"):
        w = line.split()
        if len(w) == 4 and w[0] == "lost":
            lost += int(w[1])
            total += int(w[3])
        elif len(w) == 4 and w[2] in ("off", "quiet", "on"):
            t[w[0], w[1], w[2]].append(float(w[3]))
    m = {k: statistics.median(v) for k, v in t.items()}

    def val(*key):
        return m.get(key)

    def fmt(x, f):
        return format(x, f) if x is not None else "-"

    def ratio(a, b):
        return a / b if a is not None and b else None

    def added(vm, kind):
        a, b = val(vm, kind, "on"), val(vm, kind, "quiet")
        return (a - b) / EVENTS[kind] if a is not None and b is not None else None

    print(f"{'':12} {'stock':>8} {'A/A':>6} {'hooks':>8} {'off/stock':>9} {'quiet':>8} {'on':>8} {'on/quiet':>8} {'ns/event':>8}"
          f" {'agent':>8} {'ns/event':>8}")
    for k, n in EVENTS.items():
        s, a = val("stock", k, "off"), val("again", k, "off")
        h, q, o = (val("hooks", k, mode) for mode in ("off", "quiet", "on"))
        if s is None and h is None:
            continue
        print(f"{k:12} {fmt(s, '8.1f'):>8} {fmt(ratio(a, s), '6.3f'):>6} {fmt(h, '8.1f'):>8} {fmt(ratio(h, s), '9.3f'):>9}"
              f" {fmt(q, '8.1f'):>8} {fmt(o, '8.1f'):>8} {fmt(ratio(o, q), '8.3f'):>8} {fmt(added('hooks', k), '8.1f'):>8}"
              f" {fmt(val('agent', k, 'on'), '8.1f'):>8} {fmt(added('agent', k), '8.1f'):>8}")
    if total:
        print(f"# {lost} of {total} events lost")


main(sys.argv[1])
