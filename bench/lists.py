#!/usr/bin/env python3
"""Measures actions on todos over sockets in a short and a long list, and prints medians and ratios as Markdown.

A hub for each size; `storeload` fills its list by real actions, then adds, edits, moves, deletes and toggles todos while
one more client is subscribed to the whole state. Rounds alternate between the sizes. The figures are the hub's CPU time
and the elapsed time per action. With one action in flight each action is a turn of its own, in both lists; with more, the
actions of a turn share leaves of the short list, which are copied and compared once. The goal for long ÷ short is 2.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from servers import Server, on_core

GOAL = 2
WORKLOADS = ["add", "delete", "edit", "move", "toggle"]


def storeload(program, server, *arguments):
    run = subprocess.run(
        on_core(1, [program, "--socket", server.socket, "--json", *map(str, arguments)]),
        capture_output=True, text=True, timeout=600, check=False)
    if run.returncode:
        raise SystemExit(run.stderr.strip())
    return json.loads(run.stdout)


def wait_until_idle(server):
    """Waits until the hub has used no CPU for half a second: a toggle or a move sorts the list a second later."""
    def used():
        with open(f"/proc/{server.process.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0])
    time.sleep(1.2)
    before = used()
    while True:
        time.sleep(0.5)
        now = used()
        if now - before < 5_000_000:
            return
        before = now


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storehubd and storeload")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--actions", type=int, default=500, help="actions of one run; at most the short list's length")
    parser.add_argument("--depth", type=int, default=1, help="actions in flight")
    parser.add_argument("--sizes", type=int, nargs=2, default=[1_000, 1_000_000], metavar=("SHORT", "LONG"))
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a ratio is over the goal")
    options = parser.parse_args()
    program = f"{options.programs}/storeload"
    short, long = options.sizes

    directory = tempfile.mkdtemp(prefix="storehub-bench-")
    servers = {size: Server([f"{options.programs}/storehubd", "--socket", f"{directory}/{size}.sock",
                             "--log-level", "error"], f"{directory}/{size}.sock") for size in options.sizes}
    figures = {(size, workload): [] for size in options.sizes for workload in WORKLOADS}
    try:
        for size, server in servers.items():
            with_fill = time.monotonic()
            server.__enter__()
            storeload(program, server, "--todos", size, "--workload", "edit", "--actions", 1)
            print(f"Filled a list of {size:,} todos in {time.monotonic() - with_fill:.1f} s.", flush=True)
        for run in range(options.runs):
            for workload in WORKLOADS:
                for size in options.sizes if run % 2 == 0 else reversed(options.sizes):
                    report = storeload(program, servers[size], "--workload", workload, "--depth", options.depth,
                                       "--actions", options.actions, "--hub-pid", servers[size].process.pid)
                    figures[size, workload].append(
                        (report["hubMicrosecondsPerAction"], report["seconds"] / report["actions"] * 1e6))
                if workload in ("move", "toggle"):
                    for server in servers.values():
                        wait_until_idle(server)
    finally:
        for server in servers.values():
            server.__exit__()
        shutil.rmtree(directory, ignore_errors=True)

    print(f"\n| action | hub CPU µs in {short:,} todos, median (min – max) | in {long:,} | ratio (goal {GOAL}) "
          f"| elapsed µs in {short:,} | in {long:,} | ratio |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    failed = False
    for workload in WORKLOADS:
        row = workload
        for figure in (0, 1):
            medians = []
            for size in options.sizes:
                values = [report[figure] for report in figures[size, workload]]
                medians.append(statistics.median(values))
                row += f" | {medians[-1]:.1f} ({min(values):.1f} – {max(values):.1f})"
            ratio = medians[1] / medians[0]
            failed = failed or (figure == 0 and ratio > GOAL)
            row += f" | {ratio:.2f}"
        print(f"| {row} |")
    sys.exit(1 if failed and options.check else 0)


if __name__ == "__main__":
    main()
