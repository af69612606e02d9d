#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stacks.py SOURCE NR FLAVOR <EVENTS - the stacks of stacks.erl, as `beamtap dump --json` has them, against its source

Prints TAP's lines, from number NR on.  FLAVOR `emu`: the interpreter, where the function at hand is missing
at events of built-in functions and in the middle of a function, and all at the end of a process.  A line of the source that is meant is marked there: L:name.
"""
import json
import sys

LINES = {}
with open(sys.argv[1]) as f:
    for n, line in enumerate(f, 1):
        if "% L:" in line:
            LINES[line.rsplit("% L:", 1)[1].strip()] = n

events, waiting, names, parted = [], {}, {}, 0
for line in sys.stdin:
    e = json.loads(line)
    a = e["fields"]
    if e["event"] == "stack":
        parted += e["thread"] in waiting
        waiting[e["thread"]] = (e["ts_ns"], a)
        continue
    w = waiting.pop(e["thread"], None)
    if w and w[0] != e["ts_ns"]:
        parted += 1
        w = None
    if e["event"] == "name_register":
        names.setdefault(a["name"], a["p"])
    events.append((e["event"], a, w[1] if w else None))


def text(frame):
    return frame["mfa"] + ("+%d" % frame["line"] if frame["line"] else "")


def of(name, event, where=lambda a: True):
    """Stacks of a process at an event, as lists of frames."""
    return [[text(f) for f in s["frames"]] for ev, a, s in events
            if ev == event and s and s["p"] == names.get(name) and where(a)]


def at(function, mark):
    return "stacks:%s+%d" % (function, LINES[mark])


nr = int(sys.argv[2])
EMU = sys.argv[3] == "emu"


def ok(good, what, got=None):
    global nr
    nr += 1
    print("%s %d - %s" % ("ok" if good else "not ok", nr, what))
    if not good:
        print("# got: %s" % (got if got is None or len(got) < 6 else got[:6]))


def has(name, event, want, what, where=lambda a: True, at_hand=0):
    """Some stack of the process at the event begins so; a frame of stdlib's may stand anywhere.
    The first @at_hand frames are not known to the interpreter."""
    want = want[at_hand if EMU else 0:]
    got = of(name, event, where)
    mine = [[f for f in s if f.startswith(("stacks:", "erlang:", "prim_file:"))] for s in got]
    ok(any(s[:len(want)] == want for s in mine), what, got)


top = [s[-1] for s in of("outer", "message_send")]
chain = [at("inner/1", "bif_send"), at("middle/1", "middle"), at("outer/1", "outer")]
has("outer", "message_send", chain, "a send by a built-in function, in a chain of calls with a try", at_hand=1)
has("outer", "message_send", [at("'-inner/1-fun-0-'/2", "send"), at("inner/1", "each")] + chain[1:],
    "a send by an operator, in a fun under lists:foreach/2", at_hand=1)
ok(len(top) == 2 and all(f.startswith("stacks:'-main/0-fun-") and f.endswith("+%d" % LINES["top"]) for f in top),
   "down to the process's first function", top)
stacks = [s for ev, a, s in events if ev == "message_send" and s and s["p"] == names.get("deep")]
deep = stacks[0] if stacks else {"frames": [], "is_cut": 0, "depth": 0}
frames = [text(f) for f in deep["frames"]]
ok(frames == ([] if EMU else [at("deep/2", "bottom")]) + [at("deep/2", "deep")] * (100 if EMU else 99), "10000 deep: the innermost 100", frames)
ok(deep["is_cut"] == 1 and 100 < deep["depth"] <= 1024, "and says that it is cut, after %d" % deep["depth"], [deep["depth"]])
ok(all(s["is_cut"] == 0 and s["depth"] == len(s["frames"]) for ev, a, s in events
       if ev == "message_send" and s and s["p"] == names.get("outer")), "others are whole")
under = at("collects/0", "collects")
for ev in "gc_minor_start", "gc_minor_end", "process_heap_grow":
    got = [[f for f in s if "stacks:" in f] for s in of("gc", ev)]
    ok(any(EMU and s[0] == under or s[0].startswith("stacks:grows/2") and s[1] == under for s in got if len(s) > 1), ev, got)
raised = lambda a: not a.get("depth")
has("raises", "exception_throw", ["erlang:'div'/2", at("raises/1", "raise")], "where an operator fails", raised)
has("clause", "exception_throw", ["stacks:clause/1"], "where no clause fits", raised)
has("bif", "exception_throw", ["erlang:list_to_integer/1", at("bif/1", "bif_fails")], "where a built-in function fails", raised)
has("exits", "exception_throw", [at("exits/1", "exit")], "where exit/1 is called", raised)
if EMU:
    ok([] in of("exits", "process_exit"), "what ends there has none left", of("exits", "process_exit"))
else:
    has("exits", "process_exit", [at("exits/1", "exit")], "what ends there has its stack still")
ok([] in of("outer", "process_exit"), "what returns from its first function has none left", of("outer", "process_exit"))
has("spawns", "process_spawn", ["erlang:spawn/1", at("spawns/0", "spawn")], "a spawn, in the parent", at_hand=1)
has("sleeps", "timer_set", [at("naps/0", "send_after"), at("sleeps/0", "sleeps")], "a timer of send_after/3")
under = at("sleeps/0", "sleeps")
for ev, what in (("process_unscheduled", "leaves the scheduler"), ("process_scheduled", "comes back")):
    got = of("sleeps", ev)
    ok(sum(s[0].startswith("stacks:naps/0") and s[1] == under for s in got if len(s) > 1) >= 2, "a process that waits " + what, got)
got = of("sleeps", "message_receive")
ok(any(s[0].startswith("stacks:naps/0") and s[1] == under for s in got if len(s) > 1), "a receive", got)
got = of("sleeps", "timer_set", lambda a: a["timer"] >> 63)
ok(any(s[0].startswith("stacks:naps/0") and s[1] == under for s in got if len(s) > 1), "the timeout of a receive", got)
has("calls", "function_entry", ["stacks:told/1", at("calls/0", "calls")], "a function told is called")
has("calls", "function_return", ["stacks:told/1", at("calls/0", "calls")], "and returns")
ok(all(not any("return_trace" in f for f in s) for ev in ("function_entry", "function_return") for s in of("calls", ev)),
   "frames of tracing are left out")
nif = lambda a: a["mfa"].startswith("prim_file:open")
has("dirty", "nif_entry", ["prim_file:open_nif/2"], "a native function", nif)
got = of("dirty", "dirty_scheduled")
ok(any(s[:1] == ["prim_file:open_nif/2"] and at("dirty/0", "open") in s for s in got), "on a dirty scheduler", got)
ok(parted == 0, "every stack is followed by its event (%d are not)" % parted)
none = sum(1 for ev, a, s in events if ev in ("scheduler_sleep", "scheduler_wakeup") and s)
ok(none == 0, "where no process runs there is none", [none])
print("NR %d" % nr)
