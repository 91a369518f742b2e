#!/usr/bin/env python3
"""Loads a hub for long at a part of what it can do, and checks that neither its memory nor its latencies grow.

First a search finds the highest rate of the scenario whose p99 stays within 100 ms; at higher rates a backlog grows. Then
the load runs at a part of it. Exits with status 1 if the hub's memory in the last quarter is more than 2 % and 1 MB above
that of the second quarter, or the median p99 more than 1.5 times that; the first quarter is for caches and lists to
fill.

Toggles and moves start an effect that sorts the list a second after the last of them, so the load is not alone: the
revision grows by more than its actions. A run fails if it grows by more than one action a second, or if storeload has
not verified the number, the list and the state.
"""
import argparse
import math
import re
import statistics
import sys
import time

from servers import Server, TemporaryDirectory, raise_descriptor_limit
from storeload import storeload

SCENARIO = """
[load]
connections = 50
[fill]
send = todos.addButtonTapped "{run}-fill-{n}"
path = todos.todos
count = 1000
[watch]
count = 16
[action increment]
weight = 5
send = counter.incrementButtonTapped
counts = counter.count 1
[action edit]
weight = 3
send = todos.todos[{id}].textChanged "{text}"
ids = todos.todos
sets = todos.todos[{id}].text "{text}"
[action toggle]
send = todos.todos[{id}].completionChanged {toggle}
ids = todos.todos
sets = todos.todos[{id}].isComplete {toggle}
[action move]
send = todos.moved {id} {next}
ids = todos.todos
"""


def quarter(samples, number, figure):
    part = samples[number * len(samples) // 4:(number + 1) * len(samples) // 4]
    values = [sample[figure] for sample in part]
    if figure == "p99":
        # An interval without an acknowledgement is worse than any other.
        values = [math.inf if value is None else value for value in values]
    if None in values:
        raise SystemExit(f"{values.count(None)} of {len(values)} intervals have no {figure}, so nothing is shown")
    return statistics.median(values)


# The start of each check of the scenario by storeload.
CHECKS = {
    "the acknowledged actions": r"\d+ actions acknowledged",
    "the counter": r"counter\.count is",
    "the values of todos": r"[1-9]\d* parts of elements have the value of the last action",
    "the state's hash": r"the state's hash is the hub's",
    "the subscribers": r"[1-9]\d* of \d+ subscribers applied every change",
}


def check_verification(report, seconds):
    """Ends the measurement if a check is missing, or if effects cannot have sent all further actions."""
    checks = report["verified"]
    missing = [name for name, start in CHECKS.items() if not any(re.match(start, check) for check in checks)]
    if missing:
        raise SystemExit(f"storeload has not verified {', '.join(missing)}: {report['notVerified']}")
    # Each sort follows a second without toggles and moves.
    if report["otherActions"] > seconds + 1:
        raise SystemExit(f"the hub counted {report['otherActions']:,} more actions than were sent; "
                         f"effects send at most {seconds + 1:.0f} in {seconds:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storehubd and storeload")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--load", type=float, default=0.8, help="the part of the highest rate")
    parser.add_argument("--report", help="also write a page with charts")
    options = parser.parse_args()
    raise_descriptor_limit()
    with TemporaryDirectory() as directory:
        scenario = f"{directory}/soak.ini"
        with open(scenario, "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        path = f"{directory}/hub.sock"
        argv = [f"{options.programs}/storehubd", "--socket", path, "--log-level", "error"]
        with Server(argv, path) as server:
            search = storeload(
                options.programs, server, "--scenario", scenario, "--search", "100ms", "--rate", 2000, "--arrival",
                "poisson", "--duration", "4s", "--warmup", "1s")["search"]
            highest = max(step["reached"] for step in search if step["isKept"])
            rate = round(highest * options.load, 1)
            print(f"The highest rate is {highest:,.0f} actions/s; {options.minutes} minutes at {rate:,.0f}.", flush=True)
            start = time.monotonic()
            report = storeload(
                options.programs, server, "--scenario", scenario, "--rate", rate, "--arrival", "poisson", "--duration",
                f"{round(options.minutes * 60)}s", "--timeout", "60s",
                *(["--report", options.report] if options.report else []), timeout=options.minutes * 60 + 600)
            seconds = time.monotonic() - start
    samples = report["samples"]
    if len(samples) < 8:
        raise SystemExit("too short to say anything")
    memory = [quarter(samples, number, "hubBytes") for number in range(4)]
    p99 = [quarter(samples, number, "p99") for number in range(4)]
    print("| quarter | actions/s | p99 µs | hub memory MB |\n|--:|--:|--:|--:|")
    for number in range(4):
        print(f"| {number + 1} | {quarter(samples, number, 'actionsPerSecond'):,.0f} | {p99[number]:,.0f} | "
              f"{memory[number] / 1e6:.2f} |")
    grows = memory[3] > memory[1] * 1.02 + 1e6 or p99[3] > 1.5 * p99[1] or math.inf in p99
    print("It grows." if grows else "No growth.")
    print("\n".join([f"verified: {check}" for check in report["verified"]]
                    + [f"not verified: {expectation}" for expectation in report["notVerified"]]))
    check_verification(report, seconds)
    sys.exit(1 if grows else 0)


if __name__ == "__main__":
    main()
