#!/usr/bin/env python3
"""Measures changes of a shared model over sockets, in models of several sizes, and prints medians and ratios as Markdown.

A hub for each size. A client fills its model through `@Shared(.hub(…))`, and then edits, inserts, removes and moves
elements at random places, each change after the hub has taken the one before it. The figures are the CPU time per change
of the hub and of the client, which has the whole model, and the elapsed time. Rounds alternate between the sizes. The
goal for the largest model ÷ that of 1,000 (or the smallest one) is 2.
"""
import argparse
import contextlib
import statistics
import subprocess
import sys

from lists import GOAL
from servers import Server, TemporaryDirectory, on_core, processor_time

OPERATIONS = ["edit", "insert", "remove", "move"]


class Client:
    """A client with a whole model."""

    def __init__(self, programs, server):
        self.process = subprocess.Popen(on_core(1, [f"{programs}/sharedprobe", server.socket]), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, operation, count):
        """The CPU time of the client and the elapsed time of changes, in µs."""
        self.process.stdin.write(f"{operation} {count}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"sharedprobe ended at '{operation} {count}'")
        return map(int, line.split())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(options):
    """The CPU times of hub and client and the elapsed time per change in µs, for each size and operation, of every run."""
    figures = {(size, operation): [] for size in options.sizes for operation in OPERATIONS}
    with TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        models = {}
        for size in options.sizes:
            path = f"{directory}/{size}.sock"
            hub = stack.enter_context(
                Server([f"{options.programs}/sharedhub", "--socket", path, "--log-level", "error"], path))
            client = Client(options.programs, hub)
            stack.callback(client.close)
            _, elapsed = client.run("fill", size)
            print(f"Filled a model of {size:,} elements in {elapsed / 1e6:.1f} s.", flush=True)
            models[size] = hub, client
        for run in range(options.runs):
            for operation in OPERATIONS:
                for size in options.sizes if run % 2 == 0 else reversed(options.sizes):
                    hub, client = models[size]
                    before = processor_time(hub.process.pid)
                    used, elapsed = client.run(operation, options.changes)
                    hub_used = (processor_time(hub.process.pid) - before) / 1e3
                    figures[size, operation].append([time / options.changes for time in (hub_used, used, elapsed)])
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of sharedhub and sharedprobe")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--changes", type=int, default=500, help="changes of one run")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 1_000_000], metavar="N")
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a ratio is over the goal")
    options = parser.parse_args()
    options.sizes.sort()
    if options.sizes[0] < 2 * options.changes:
        parser.error(f"a model of {options.sizes[0]} elements would not keep its size during {options.changes} changes")
    base = 1_000 if 1_000 in options.sizes else options.sizes[0]

    figures = measure(options)
    measures = ["hub CPU µs", "client CPU µs", "elapsed µs"]
    print("\n| change | " + " | ".join(
        " | ".join(f"{name} in {size:,}" for size in options.sizes) + f" | {options.sizes[-1]:,} ÷ {base:,}"
        + (f" (goal {GOAL})" if index < 2 else "") for index, name in enumerate(measures)) + " |")
    print("|---|" + "--:|" * len(measures) * (len(options.sizes) + 1))
    failed = False
    for operation in OPERATIONS:
        row = f"| {operation}"
        for index in range(len(measures)):
            medians = {}
            for size in options.sizes:
                values = [figure[index] for figure in figures[size, operation]]
                medians[size] = statistics.median(values)
                row += f" | {medians[size]:.1f} ({min(values):.1f} – {max(values):.1f})"
            ratio = medians[options.sizes[-1]] / medians[base]
            is_missed = ratio > GOAL and index < 2
            failed = failed or is_missed
            row += f" | {ratio:.2f}" + (", missed" if is_missed else "")
        print(f"{row} |")
    sys.exit(1 if failed and options.check else 0)


if __name__ == "__main__":
    main()
