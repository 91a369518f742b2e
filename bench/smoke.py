#!/usr/bin/env python3
"""A short guard against gross regressions: counts that do not depend on the machine's speed, and ratios of one run.

Counts: the hub's instructions per action under callgrind, the difference between two runs of different length divided by
the difference of their actions, beside those in bench/counts.json; more than 10 % above is a failure, and so is a count
without a recorded one. Ratios: hub ÷ C limit, alternating; less than half of the goal is a failure. `--update` writes
the counts that were found.
Heap allocations are counted by scripts/allocations.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from servers import HERE, Rivals, TemporaryDirectory, median, ratios

COUNTS = os.path.join(HERE, "counts.json")
# What is sent in two lengths: a name, and the arguments of storeload.
ACTIONS = {
    "increment, 1 × 1": ("-c", 1, "-d", 1, (2_000, 6_000)),
    "increment, 1 × 64": ("-c", 1, "-d", 64, (64_000, 192_000)),
    "increment, 8 × 16": ("-c", 8, "-d", 16, (40_000, 120_000)),
    "increment, 1 × 1, with a watcher": ("-c", 1, "-d", 1, "--watch", 1, (2_000, 6_000)),
    "edit in 1,000 todos, 1 × 1": ("-w", "edit", "--todos", 1000, (1_000, 6_000)),
    "add to 1,000 todos, 1 × 1": ("-w", "add", "--todos", 1000, (1_000, 6_000)),
}
MARGIN = 1.1
# How many connections share a turn depends on pauses of the machine: the same program took from 523 to 744 instructions
# for 8 × 16. The least count of these runs is the program's.
TRIES = 12
RATIO_TRIES = 5
# Connections, depth, watchers, and the least ratio: half the goal.
CASES = [(1, 16, 0, 0.45), (50, 16, 0, 0.45), (1, 64, 16, 0.4)]


def instructions(programs, directory, arguments, count):
    """The instructions of a hub from its start to its end."""
    path, log = f"{directory}/{count}.sock", f"{directory}/{count}.log"
    with open(log, "w", encoding="utf-8") as output:
        hub = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"{programs}/storehubd",
             "--socket", path, "--log-level", "error"], stderr=output)
    try:
        while not os.path.exists(path):
            time.sleep(0.05)
            if hub.poll() is not None:
                raise SystemExit(f"the hub under valgrind ended: {open(log, encoding='utf-8').read()[-500:]}")
        run = subprocess.run(
            [f"{programs}/storeload", "--socket", path, "--timeout", "240s", "--quiet", *map(str, arguments),
             "-n", str(count)], capture_output=True, text=True, timeout=1200, check=False)
        if run.returncode:
            raise SystemExit(run.stderr)
    finally:
        hub.send_signal(signal.SIGTERM)
        hub.wait(240)
        # The next run waits for the socket of its own hub.
        if os.path.exists(path):
            os.remove(path)
    found = re.search(r"Collected\s*:\s*(\d+)", open(log, encoding="utf-8").read())
    if not found:
        raise SystemExit("callgrind printed no count")
    return int(found.group(1))


def check_counts(options, directory):
    known = {}
    if os.path.exists(COUNTS):
        with open(COUNTS, encoding="utf-8") as file:
            known = json.load(file)
    unknown = [name for name in ACTIONS if name not in known]
    if unknown and not options.update:
        raise SystemExit(f"{COUNTS} has no count for {', '.join(unknown)}; --update records it")
    found, failed = {}, False
    print("| instructions of the hub for an action | found | recorded | |\n|---|--:|--:|---|")
    for name, (*arguments, (short, long)) in ACTIONS.items():
        counts, limit = [], known.get(name, float("inf")) * MARGIN
        while not counts or min(counts) > limit and len(counts) < TRIES:
            # Both at the same time: a hub under callgrind keeps one core busy.
            with ThreadPoolExecutor() as both:
                less, more = both.map(
                    lambda count, arguments=arguments: instructions(options.programs, directory, arguments, count),
                    (short, long))
            counts.append(round((more - less) / (long - short)))
        found[name] = min(counts)
        is_over = found[name] > limit
        failed = failed or is_over
        print(f"| {name} | {found[name]:,} | {known.get(name, 0):,} | {'more than 10 % above' if is_over else ''} |",
              flush=True)
    if options.update:
        with open(COUNTS, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=2, ensure_ascii=False)
            file.write("\n")
        return False
    return failed


def check_ratios(options, directory):
    rivals, failed = Rivals({"hub": f"{options.programs}/storehubd"}, directory), False
    print("\n| C | D | W | hub ÷ C limit, median of 5 | at least |\n|--:|--:|--:|--:|--:|")
    for *case, least in CASES:
        ratio = 0
        # A pause of the hub alone takes a part of a short run.
        for _ in range(RATIO_TRIES):
            results = rivals.measure(["C limit", "hub"], case, 5, 0.3)
            ratio = max(ratio, median([{"x": value} for value in ratios(results["hub"], results["C limit"])], "x"))
            if ratio >= least:
                break
        failed = failed or ratio < least
        print(f"| {case[0]} | {case[1]} | {case[2]} | {ratio:.2f} | {least}{'' if ratio >= least else ', missed'} |",
              flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storehubd and storeload")
    parser.add_argument("--update", action="store_true", help="record the counts that are found")
    options = parser.parse_args()
    with TemporaryDirectory() as directory:
        failed = check_counts(options, directory)
        failed = check_ratios(options, directory) or failed
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
