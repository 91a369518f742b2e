#!/usr/bin/env python3
"""What effects cost a hub, beside tasks of asyncio, promises of Node and bare timers of libuv, as a Markdown table.

Each program runs its own loop on one core and does an action in each turn of it. `debounce` is an action that cancels a
sleeping effect and starts another, `timer` one whose effect sleeps a millisecond and then sends an action. Both are
processor time beyond that of an action without an effect, of all threads. `sleeping` is the memory of 100,000 sleeping
effects. Lateness is how long after its time a sleep of 20 ms ends when nothing else happens; on a machine with other
work it is that of the machine. Rounds alternate; each figure is the median.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

from servers import LIMIT, median, on_core

FIGURES = ["debounce", "timer", "sleeping", "lateness", "latest"]


def programs(storebench):
    found = {
        "hub": [storebench, "--hub-effects"],
        "C limit": [f"{LIMIT}/effects"],
        "asyncio": [sys.executable, f"{LIMIT}/peers/effects.py"],
    }
    if shutil.which("node"):
        found["Node"] = ["node", f"{LIMIT}/peers/effects.js"]
    return found


def figures(argv):
    run = subprocess.run(on_core(0, argv), capture_output=True, text=True, timeout=300, check=False)
    if run.returncode:
        raise SystemExit(f"{' '.join(argv)} ended with status {run.returncode}: {run.stderr.strip()}")
    found = json.loads(run.stdout)
    return found | {name: found[name] - found["plain"] for name in ("debounce", "timer")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storebench")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    rivals = programs(os.path.join(options.programs, "storebench"))
    results = {name: [] for name in rivals}
    for number in range(options.runs):
        for name in list(rivals) if number % 2 == 0 else reversed(list(rivals)):
            results[name].append(figures(rivals[name]))
    print("| effects of | debounce, µs of CPU | timer, µs of CPU | 100,000 sleeping, MiB | lateness p50 µs | latest µs |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, rows in results.items():
        middle = {figure: median(rows, figure) for figure in FIGURES}
        print(f"| {name} | {middle['debounce']:.2f} | {middle['timer']:.2f} | {middle['sleeping']:.0f} | "
              f"{middle['lateness']:,.0f} | {middle['latest']:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
