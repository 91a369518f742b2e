#!/usr/bin/env python3
"""Compares the hub, the C limit, Redis, NATS and a hub in Python under one load program, as one Markdown table.

C = connections, D = actions in flight on each, W = watchers that receive every change. Rounds alternate: in one the
servers run in one order, in the next in the reverse, so that a machine that changes its speed changes it for all. The
ratio is taken round by round; its median stands with its least and greatest value.

What each server does for an action: the hub and the C limit count one up and tell the watchers once a turn; Redis INCR,
with watchers INCR and PUBLISH in one transaction (a function, and with MULTI and EXEC); NATS publishes eight bytes and
counts nothing (over TCP: it has no Unix sockets); Python is asyncio with a line of JSON for each action. "hub mixed" is
the hub with alternating increments and decrements, because it decodes equal actions in a row only once. The durable
rows compare acknowledgements that survive a loss of power (sync, always, the C limit that calls fdatasync once a turn),
and those that lose at most the last second (async, everysec).

Freshness is the time from the write of an action to the read of the first delta that contains it, for every action (up
to 16 watchers are sampled). In the first table each server runs at its own full speed. The second table compares
freshness at one rate: half of what the slower of hub and C limit reached in the first.
"""
import argparse
import os

from servers import Rivals, TemporaryDirectory, median, raise_descriptor_limit, ratios

# Connections, depth, watchers, and the goal for hub ÷ C limit.
CASES = [
    (1, 1, 0, 0.95), (1, 16, 0, 0.9), (1, 64, 0, 0.9), (50, 1, 0, 0.9), (50, 16, 0, 0.9), (50, 64, 0, 0.75),
    (1, 64, 16, 0.8), (1, 64, 100, 1), (1, 64, 1000, 1),
]
# The same with a journal: the goal for hub sync ÷ C limit with its journal, and for hub sync ÷ Redis always.
DURABLE_CASES = [(1, 1, 0, 0.85, 1), (1, 16, 0, 0.85, 1.2), (50, 64, 0, 0.85, 5)]
DURABLE = ["C limit -j", "hub sync", "hub before sync", "Redis always"]
ASYNCHRONOUS = ["hub async", "Redis everysec"]
# Beside which hub a server stands.
YARDSTICKS = {
    "C limit -j": "hub sync", "Redis always": "hub sync", "hub before sync": "hub sync", "Redis everysec": "hub async"}


def names_for(depth, watchers, hubs):
    mixed = ["hub mixed"] if depth > 1 and not watchers else []
    multi = ["Redis MULTI"] if watchers else []
    names = ["C limit", *hubs, *mixed, "Redis", *multi, "NATS", "Python"]
    return [name for name in names if Rivals.is_installed(name)]


def print_rows(case, goals, results):
    for name, rows in results.items():
        rates = [row["rate"] for row in rows]
        ratio = ""
        yardstick = YARDSTICKS.get(name, "hub")
        if not name.startswith("hub") or name in ("hub before", "hub before sync", "hub mixed"):
            found = sorted(ratios(results[yardstick], rows))
            middle = median([{"x": value} for value in found], "x")
            ratio = f"{middle:.2f} ({found[0]:.2f} – {found[-1]:.2f})"
            if goals.get(name):
                ratio += f", goal {goals[name]}" + ("" if middle >= goals[name] else ", missed")
        fresh = f"{median(rows, 'pp50'):.0f} / {median(rows, 'pp99'):.0f}" if median(rows, "pp50") else ""
        print(f"| {case[0]} | {case[1]} | {case[2]} | {name} | {median(rows, 'rate') / 1e3:,.1f} k "
              f"({min(rates) / 1e3:,.1f} – {max(rates) / 1e3:,.1f}) | {median(rows, 'p50'):.1f} | "
              f"{median(rows, 'p99'):.1f} | {fresh} | {median(rows, 'cpu') / 1e3:.2f} | {ratio} |", flush=True)


def freshness_rows(watchers, rate, results):
    for name, rows in results.items():
        ratio = ""
        if name != "C limit" and median(results["C limit"], "pp99"):
            found = sorted(ratios(rows, results["C limit"], "pp99"))
            ratio = f"{median([{'x': value} for value in found], 'x'):.2f} ({found[0]:.2f} – {found[-1]:.2f}), goal 2"
        print(f"| {watchers} | {name} | {rate:,} | {median(rows, 'rate'):,.0f} | {median(rows, 'pp50'):.0f} | "
              f"{median(rows, 'pp99'):.0f} | {ratio} |", flush=True)


def common_rate(results):
    """Half the rate of the slower server, to two significant digits."""
    half = min(median(rows, "rate") for rows in results.values()) / 2
    unit = 10 ** max(len(str(int(half))) - 2, 0)
    return max(int(half // unit * unit), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="the storehubd to measure")
    parser.add_argument("--before", metavar="HUB", help="another storehubd, such as that of an earlier commit")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--only", metavar="CxDxW", help="one row, such as 1x64x100, without the durable ones")
    parser.add_argument("--durable", action="store_true", help="only the rows in which every acknowledgement is durable")
    parser.add_argument("--rivals", help="only these servers, with commas, such as 'C limit,hub,Redis'")
    parser.add_argument("--rate", type=int, help="actions/s of the freshness table; default: half the slower server's")
    options = parser.parse_args()

    hard = raise_descriptor_limit()
    cases = [case for case in CASES if not options.only or "x".join(map(str, case[:3])) == options.only]
    if not cases:
        parser.error(f"there is no row {options.only}")
    for case in [case for case in cases if hard and case[2] + 100 > hard]:
        print(f"left out: {case[2]} watchers need more than the {hard} descriptors allowed here (ulimit -Hn)")
        cases.remove(case)
    wanted = [name.strip() for name in options.rivals.split(",")] if options.rivals else None

    def chosen(names):
        return [name for name in names if wanted is None or name in wanted or name.startswith("hub")]

    for name in ("Redis", "NATS"):
        if not Rivals.is_installed(name):
            print(f"{name} is left out: apt-get install {name.lower()}-server")
    hubs = {"hub": options.hub} | ({"hub before": options.before} if options.before else {})
    with TemporaryDirectory() as directory:
        rivals = Rivals(hubs, directory)
        print(f"Load average at the start: {os.getloadavg()[0]:.1f}; {options.runs} rounds of {options.seconds} s.\n")
        print("| C | D | W | server | actions/s, median (min – max) | ack p50 µs | p99 µs | freshness p50 / p99 µs "
              "| server CPU µs/action | hub ÷ this, median (min – max) |")
        print("|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|")
        rates = {}
        for *case, goal in [] if options.durable else cases:
            results = rivals.measure(chosen(names_for(case[1], case[2], hubs)), case, options.runs, options.seconds)
            print_rows(case, {"C limit": goal}, results)
            if case[2] and "C limit" in results:
                rates[case[2]] = options.rate or common_rate({name: results[name] for name in ("C limit", "hub")})
        if not options.only:
            for *case, limit_goal, redis_goal in DURABLE_CASES:
                wished = chosen(DURABLE if options.durable else DURABLE + ASYNCHRONOUS)
                names = [name for name in wished if Rivals.is_installed(name)]
                if not options.before:
                    names.remove("hub before sync")
                results = rivals.measure(names, case, options.runs, options.seconds)
                print_rows(case, {"C limit -j": limit_goal, "Redis always": redis_goal}, results)
        if rates:
            print("\n| W | server | actions/s wanted | reached | freshness p50 µs | p99 µs | p99 ÷ C limit's |")
            print("|--:|---|--:|--:|--:|--:|--:|")
        for watchers, rate in rates.items():
            results = rivals.measure(["C limit", *hubs], (1, 64, watchers), options.runs, options.seconds, rate)
            freshness_rows(watchers, rate, results)


if __name__ == "__main__":
    main()
