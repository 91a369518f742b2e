#!/usr/bin/env python3
"""Measures actions on todos over sockets in lists of several lengths, and prints medians and ratios as Markdown.

A hub for each size; `storeload` fills its list by real actions, then adds, edits, moves, deletes and toggles todos while
one more client is subscribed to the whole state. Rounds alternate between the sizes. The figures are the hub's CPU time
and the elapsed time per action. With one action in flight each action is a turn of its own; with more, the actions of a
turn share leaves of a short list, which are copied and compared once. `add` lengthens a list by the actions of a run,
and `delete` shortens it again, so a list must be much longer than a run. The goal for the longest list ÷ that of 1,000
(or the shortest one) is 2.

A toggle or a move starts an effect that sorts the list a second after the last of them. `sort` is the action of this
effect, sent to a list with one todo out of place. It looks only at what has changed since the last sort. The first one
after the hub's start checks each todo once, so its cost grows with the list, and the goal does not apply to it. A long
list is sorted in steps, which follow the acknowledgement: the elapsed time does not include them, the CPU time does.
"""
import argparse
import os
import socket
import statistics
import sys
import threading
import time

from servers import HERE, Server, TemporaryDirectory, processor_time
from storeload import chart, storeload

sys.path.insert(0, os.path.join(HERE, "..", "clients", "python", "src"))
from storehub import blocking  # noqa: E402
from storehub import _messages as wire  # noqa: E402

GOAL = 2
WORKLOADS = ["add", "delete", "edit", "move", "toggle"]
# Measured by this script itself, because an effect sends this action.
SORT = "sort"
FIRST_SORT = "first sort"
# The sorts of one run.
SORTS = 5


def wait_until_idle(server):
    """Waits until the hub has used no CPU for half a second: a toggle or a move sorts the list a second later."""
    time.sleep(1.2)
    before = processor_time(server.process.pid)
    while True:
        time.sleep(0.5)
        now = processor_time(server.process.pid)
        if now - before < 5_000_000:
            return
        before = now


def finish_steps(server):
    """Waits until the hub is no longer sorting, and returns its CPU time then."""
    last = processor_time(server.process.pid)
    while True:
        time.sleep(0.02)
        now = processor_time(server.process.pid)
        if now - last < 200_000:
            return now
        last = now


def subscribe(server):
    """A client that subscribes to the whole state, and reads without looking at what it reads."""
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(server.socket)
    stream.sendall(wire.frame(wire.HELLO, wire.hello("reader", None, 0, None)))
    stream.sendall(wire.frame(wire.ATTACH, wire.attach([], None, 0), scope=1))

    def read():
        while stream.recv(1 << 18):
            pass
    threading.Thread(target=read, daemon=True).start()
    return stream


def measure_sorts(server, todos):
    """The hub's CPU time and the elapsed time of a sort in µs, the means over sorts with each of `todos` out of place.

    The list must be open todos only, and begin with those of the ids `todos`. Afterwards these stand at its end.
    """
    subscriber = subscribe(server)
    client = blocking.connect(server.socket).__enter__()

    def send(action):
        client.send({"todos": action})

    def complete(todo, is_complete):
        send({"todos": {"element": {"id": todo, "action": {"completionChanged": is_complete}}}})

    wait_until_idle(server)
    used = elapsed = 0
    for todo in todos:
        changed = time.monotonic()
        complete(todo, True)
        # The subscriber's delta may follow the acknowledgement.
        time.sleep(0.02)
        before, start = processor_time(server.process.pid), time.monotonic()
        send("sortCompletedTodos")
        end = time.monotonic()
        used += finish_steps(server) - before
        elapsed += end - start
        if time.monotonic() - changed > 1:
            raise SystemExit("the effect may have sorted the list before this script did")
        complete(todo, False)
    wait_until_idle(server)
    client.close()
    subscriber.shutdown(socket.SHUT_RDWR)
    subscriber.close()
    return used / len(todos) / 1e3, elapsed / len(todos) * 1e6


def measure(options):
    """The hub's CPU time and the elapsed time per action, for each size and workload, of every run."""
    figures = {(size, workload): [] for size in options.sizes for workload in [*WORKLOADS, SORT, FIRST_SORT]}
    with TemporaryDirectory() as directory:
        servers = {size: Server([f"{options.programs}/storehubd", "--socket", f"{directory}/{size}.sock",
                                 "--log-level", "error"], f"{directory}/{size}.sock") for size in options.sizes}
        try:
            for size, server in servers.items():
                start = time.monotonic()
                server.__enter__()
                storeload(options.programs, server, "--todos", size, "--workload", "edit", "--actions", 1)
                print(f"Filled a list of {size:,} todos in {time.monotonic() - start:.1f} s.", flush=True)
            # At first, because the others complete todos.
            for size, server in servers.items():
                figures[size, FIRST_SORT].append(measure_sorts(server, [0]))
            for run in range(options.runs):
                for size in options.sizes if run % 2 == 0 else reversed(options.sizes):
                    todos = range(1 + run * SORTS, 1 + (run + 1) * SORTS)
                    figures[size, SORT].append(measure_sorts(servers[size], todos))
            for run in range(options.runs):
                for workload in WORKLOADS:
                    for size in options.sizes if run % 2 == 0 else reversed(options.sizes):
                        report = storeload(options.programs, servers[size], "--workload", workload, "--todos", size,
                                           "--depth", options.depth, "--actions", options.actions, "--watch", 1)
                        figures[size, workload].append(
                            (report["hubMicrosecondsPerAction"], report["seconds"] / report["actions"] * 1e6))
                    if workload in ("move", "toggle"):
                        for server in servers.values():
                            wait_until_idle(server)
        finally:
            for server in servers.values():
                server.__exit__()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storehubd and storeload")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--actions", type=int, default=500, help="actions of one run")
    parser.add_argument("--depth", type=int, default=1, help="actions in flight")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 1_000_000], metavar="N")
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a ratio is over the goal")
    parser.add_argument("--charts", metavar="FOLDER", help="also draw a chart there")
    options = parser.parse_args()
    options.sizes.sort()
    if options.sizes[0] < 2 * options.actions:
        parser.error(f"a list of {options.sizes[0]} todos would not keep its length during {options.actions} actions")
    if options.sizes[0] <= 1 + options.runs * SORTS:
        parser.error(f"a list of {options.sizes[0]} todos is too short for {options.runs} runs")
    base = 1_000 if 1_000 in options.sizes else options.sizes[0]

    figures = measure(options)
    print("\n| action | " + " | ".join(f"hub CPU µs in {size:,}" for size in options.sizes)
          + f" | {options.sizes[-1]:,} ÷ {base:,} (goal {GOAL}) | "
          + " | ".join(f"elapsed µs in {size:,}" for size in options.sizes) + " |")
    print("|---|" + "--:|" * (2 * len(options.sizes) + 1))
    failed, series = False, []
    for workload in [*WORKLOADS, SORT, FIRST_SORT]:
        medians = {}
        row = f"| {workload}"
        for size in options.sizes:
            values = [report[0] for report in figures[size, workload]]
            medians[size] = statistics.median(values)
            row += f" | {medians[size]:.1f} ({min(values):.1f} – {max(values):.1f})"
        ratio = medians[options.sizes[-1]] / medians[base]
        is_missed = ratio > GOAL and workload != FIRST_SORT
        failed = failed or is_missed
        row += f" | {ratio:.2f}" + (", missed" if is_missed else ", no goal" if workload == FIRST_SORT else "")
        for size in options.sizes:
            row += f" | {statistics.median(report[1] for report in figures[size, workload]):.1f}"
        print(f"{row} |")
        if workload != FIRST_SORT:
            series.append((workload, [(size, medians[size] * 1e3) for size in options.sizes]))
    print("\ntoggle and move start sort a second after the last of them. The first after a start checks each todo once, in "
          "steps.")
    if options.charts:
        chart(options.programs, f"{options.charts}/lists.svg", "Hub CPU time of an action on a list of todos",
              ("todos in the list", "number", True), ("CPU time of the hub", "time", False), series)
    sys.exit(1 if failed and options.check else 0)


if __name__ == "__main__":
    main()
