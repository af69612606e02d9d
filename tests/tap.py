#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run test programs, count their results, end with `N passed, M failed`.

    tests/tap.py [-j JOBS] [-t SECONDS] NAME=COMMAND ...

A program that prints TAP (`ok 1 - name`, `not ok 2 - name`, `ok 3 # SKIP why`) is
counted line by line; one that prints none counts once, by its exit status (77:
skipped).  A program that fails without saying so (a crash, a plan that was not
kept) counts as one failure more.  Output is shown for what failed.
"""
import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import time

LINE = re.compile(r"^\s*(not ok|ok)\b\s*\d*\s*-?\s*(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)")


def run(name, command, limit):
    start = time.monotonic()
    env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
    proc = subprocess.Popen(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env=env, start_new_session=True)
    try:
        out = proc.communicate(timeout=limit)[0]
        why = None
    except subprocess.TimeoutExpired:
        os.killpg(proc.pid, signal.SIGKILL)
        out = proc.communicate()[0]
        why = f"no end after {limit} s"
    return count(name, out.decode("utf-8", "replace"), proc.returncode, why, time.monotonic() - start)


def count(name, text, status, why, seconds):
    passed, failed, skipped, planned = 0, [], [], 0
    for line in text.splitlines():
        plan = PLAN.match(line)
        if plan:
            planned += int(plan.group(1))
        m = LINE.match(line)
        if not m:
            continue
        if re.search(r"#\s*SKIP", m.group(2), re.I):
            skipped.append(m.group(2))
        elif m.group(1) == "ok":
            passed += 1
        else:
            failed.append(m.group(2))
    seen = passed + len(failed) + len(skipped)
    if why:
        failed.append(why)
    elif seen == 0:
        if status == 77:
            skipped.append((text.strip().splitlines() or ["no reason given"])[-1])
        elif status:
            failed.append(f"exit status {status}")
        else:
            passed = 1
    elif status not in (0, 77) and not failed:
        failed.append(f"exit status {status} though no test failed")
    elif planned > seen:
        failed.append(f"{planned - seen} tests of the plan did not run")
    return name, passed, failed, skipped, text, seconds


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-j", type=int, default=1)
    ap.add_argument("-t", type=float, default=600)
    ap.add_argument("tests", nargs="+")
    args = ap.parse_args()
    total = [0, 0, 0]
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        jobs = [pool.submit(run, *t.split("=", 1), args.t) for t in args.tests]
        for job in concurrent.futures.as_completed(jobs):
            name, passed, failed, skipped, text, seconds = job.result()
            total = [total[0] + passed, total[1] + len(failed), total[2] + len(skipped)]
            if failed:
                print(f"---- output of {name}")
                lines = text.splitlines()
                if len(lines) > 120:
                    print(f"({len(lines) - 120} lines left out)")
                print("\n".join(lines[-120:]))
                print("----")
            mark = "FAIL" if failed else "ok  "
            print(f"{mark} {name}: {passed} passed, {len(failed)} failed"
                  + (f", {len(skipped)} skipped" if skipped else "") + f"  ({seconds:.1f} s)")
            for f in failed:
                print(f"       failed: {f}")
            for s in skipped:
                print(f"       skipped: {s}")
            sys.stdout.flush()
    print(f"{total[0]} passed, {total[1]} failed" + (f", {total[2]} skipped" if total[2] else ""))
    return 1 if total[1] or total[0] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
