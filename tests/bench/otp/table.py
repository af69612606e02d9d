#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What bench_otp.erl printed, as the tables of docs/otp.md.

    table.py FILE

Each VM's median of each work, then the medians of those over the VMs of a kind, in ns an operation,
and their ratios to the stock one's.  `+-` is half of the interval that holds 95 % of what comes out
when VMs are drawn anew at random (bootstrap).  Under a recorder each pair of `quiet`, nothing for it,
and `on` gives a difference; the median of these over all pairs is what an event adds.
"""
import collections
import random
import statistics
import sys

EVENTS = {"send": 1, "receive": 1, "queued": 1, "in_out": 2, "spawn_exit": 2, "gc": 2, "call": 1,
          "call_return": 2, "ping": 8}
KINDS = ("again", "off", "debian")


def half_95(draw):
    """Half of the interval of 95 % of what draw() gives."""
    v = sorted(draw() for _ in range(1000))
    return (v[974] - v[25]) / 2


def ratio(of, to):
    """Two lists, a number a VM.  Return: the ratio of their medians, and its half interval."""
    def again(v):
        return statistics.median(random.choices(v, k=len(v)))
    return statistics.median(of) / statistics.median(to), half_95(lambda: again(of) / again(to))


def added(pairs, events):
    """Pairs by VM.  Return: medians of quiet, of on, of what an event adds, and the last one's half interval."""
    def median(vms, f):
        return statistics.median(f(q, o) for vm in vms for q, o in vm)

    def per_event(q, o):
        return (o - q) / events
    vms = list(pairs.values())
    return (median(vms, lambda q, o: q), median(vms, lambda q, o: o), median(vms, per_event),
            half_95(lambda: median(random.choices(vms, k=len(vms)), per_event)))


def main(path):
    off = collections.defaultdict(lambda: collections.defaultdict(list))
    on = collections.defaultdict(lambda: collections.defaultdict(list))
    lost = total = 0
    for line in open(path, errors="replace"):
        w = line.split()
        if len(w) == 4 and w[0] == "lost":
            lost += int(w[1])
            total += int(w[3])
        elif len(w) == 5 and w[2] == "off":
            off[w[0], w[1]][w[3]].append(float(w[4]))
        elif len(w) == 6 and w[2] == "on":
            on[w[0], w[1]][w[3]].append((float(w[4]), float(w[5])))
    medians = {k: [statistics.median(v) for v in vms.values()] for k, vms in off.items()}
    random.seed(1)
    if any(vm in KINDS for vm, _ in off):
        print(f"{'ns an operation':14} {'stock':>9}" + "".join(f"{vm + '/stock':>22}" for vm in KINDS))
        for k in EVENTS:
            if ("stock", k) not in medians:
                continue
            stock = medians["stock", k]
            print(f"{k:15} {statistics.median(stock):9.1f}" + "".join(
                "{:13.3f} +- {:5.3f}".format(*ratio(medians[vm, k], stock)) if (vm, k) in medians else f"{'-':>22}"
                for vm in KINDS))
    for vm in ("hooks", "agent"):
        if not any(v == vm for v, _ in on):
            continue
        print(f"{vm:15} {'quiet':>9} {'on':>9} {'on/quiet':>9} {'ns an event':>16} {'events':>6}")
        for k, n in EVENTS.items():
            if (vm, k) in on:
                q, o, a, e = added(on[vm, k], n)
                print(f"{k:15} {q:9.1f} {o:9.1f} {o / q:9.3f} {a:9.1f} +- {e:3.1f} {n:6}")
    if total:
        print(f"# {lost} of {total} events lost")


main(sys.argv[1])
