#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What bench_otp.erl printed, as the tables of docs/otp.md.

    table.py FILE
    table.py --links FILE     what links.sh measured
    table.py --rabbitmq MESSAGES FILE     what rabbitmq.sh measured

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
# The JIT does not fire OTP's process-scheduled.
EVENTS_SYSTEMTAP = {**EVENTS, "in_out": 1, "ping": 6}
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


def read(path):
    """Return: by (VM, work) of `off` numbers by OS process, of `on` pairs; events lost; all events."""
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
    return off, on, lost, total


def links_table(path):
    """What links.sh measured: a column a link."""
    off = read(path)[0]
    medians = {k: statistics.median(statistics.median(v) for v in vms.values()) for k, vms in off.items()}
    links = sorted({vm for vm, _ in off})
    columns = [[vm for vm in links if vm.startswith("link_" + e)] for e in ("stock", "hooks")]
    width = [max(8 * len(c), 14) for c in columns]
    print(f"{'ns an operation':15}  {'stock, links':<{width[0]}}  {'hooks, links':<{width[1]}}  ratio of means  spread of links")
    for k in ("send", "in_out", "spawn_exit", "gc", "call", "ping"):  # the others do the same work
        stock, hooks = ([medians[vm, k] for vm in c if (vm, k) in medians] for c in columns)
        if not stock or not hooks:
            continue
        rows = ("".join(f"{v:8.1f}" if v >= 10 else f"{v:8.2f}" for v in c) for c in (stock, hooks))
        spread = max(max(c) / min(c) for c in (stock, hooks)) - 1
        print("{:15}  {:<{}}  {:<{}}  {:14.3f}  {:14.1f}%".format(
            k, next(rows), width[0], next(rows), width[1], statistics.mean(hooks) / statistics.mean(stock), 100 * spread))


def rabbitmq_table(messages, path):
    """What rabbitmq.sh measured.  A row: `KIND MODE BROKER us ns EVENTS LOST`, or `-` when nothing was recorded."""
    rounds = collections.defaultdict(list)
    events = lost = 0
    for line in open(path):
        kind, mode, broker, us, ns, *counts = line.split()
        rounds[kind, broker, mode].append((messages * 1e3 / float(us), float(ns) / messages / 1e3))
        if mode == "on":
            events, lost = events + int(counts[0]), lost + int(counts[1])
    print(f"{'':7} {'thousand messages a second':>35}  {'us of CPU a message':>35}")
    print(f"{'':7}" + f" {'quiet':>8} {'on':>8} {'on/quiet':>17} " * 2)
    for kind in dict.fromkeys(k for k, _, _ in rounds):
        row = f"{kind:7}"
        for i in (0, 1):
            quiet, on = ([r[i] for (k, _, m), v in rounds.items() for r in v if (k, m) == (kind, mode)]
                         for mode in ("quiet", "on"))
            row += f" {statistics.median(quiet):8.1f}"
            if not on:
                row += f" {'-':>8} {'-':>17} "
                continue
            # The nth `quiet` and the nth `on` of a broker are neighbours.
            pairs = [[o[i] / q[i] for q, o in zip(rounds[k, b, "quiet"], rounds[k, b, "on"])]
                     for k, b, m in rounds if (k, m) == (kind, "on")]
            half = half_95(lambda p=pairs: statistics.median(
                r for b in random.choices(p, k=len(p)) for r in random.choices(b, k=len(b))))
            ratios = sum(pairs, [])
            sure = f"{half:5.3f}" if len(ratios) > 2 else f"{'?':>5}"  # a pair or two say nothing of that
            row += f" {statistics.median(on):8.1f} {statistics.median(ratios):8.3f} +- {sure} "
        print(row)
    print(f"# {events} events, {lost} lost")


def main(path):
    off, on, lost, total = read(path)
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
    for vm in sorted({vm for vm, _ in on}):
        print(f"{vm:15} {'quiet':>9} {'on':>9} {'on/quiet':>9} {'ns an event':>16} {'events':>6}")
        for k, n in (EVENTS_SYSTEMTAP if vm == "systemtap" else EVENTS).items():
            if (vm, k) in on:
                q, o, a, e = added(on[vm, k], n)
                print(f"{k:15} {q:9.1f} {o:9.1f} {o / q:9.3f} {a:9.1f} +- {e:3.1f} {n:6}")
    if total:
        print(f"# {lost} of {total} events lost")


if sys.argv[1] == "--links":
    links_table(sys.argv[2])
elif sys.argv[1] == "--rabbitmq":
    random.seed(1)
    rabbitmq_table(int(sys.argv[2]), sys.argv[3])
else:
    main(sys.argv[1])
