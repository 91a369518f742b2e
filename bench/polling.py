#!/usr/bin/env python3
"""What polling without sleeping gains where a core can be spared, as a Markdown table.

"hub polling" is the hub with --busy-poll, driven by a load program that polls as long; beside "Redis polling" the load
program polls and Redis, which cannot, does not. Rounds alternate; the ratio is taken round by round.
"""
import argparse

from servers import Rivals, TemporaryDirectory, median, ratios

CASES = [(1, 1, 0), (1, 16, 0)]
NAMES = ["hub", "hub polling", "Redis", "Redis polling"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="the storehubd to measure")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--time", type=int, default=50, help="the busy poll in µs")
    options = parser.parse_args()
    names = [name for name in NAMES if Rivals.is_installed(name)]
    print("| C | D | server | actions/s, median (min – max) | ack p50 µs | p99 µs | server CPU µs/action | ÷ Redis |")
    print("|--:|--:|---|--:|--:|--:|--:|--:|")
    with TemporaryDirectory() as directory:
        rivals = Rivals({"hub": options.hub}, directory, options.time)
        for case in CASES:
            results = rivals.measure(names, case, options.runs, options.seconds)
            for name, rows in results.items():
                rates = [row["rate"] / 1e3 for row in rows]
                found = sorted(ratios(rows, results["Redis"])) if "Redis" in results and name != "Redis" else []
                ratio = f"{median([{'x': x} for x in found], 'x'):.2f} ({found[0]:.2f} – {found[-1]:.2f})" if found else ""
                print(f"| {case[0]} | {case[1]} | {name} | {median(rows, 'rate') / 1e3:,.1f} k "
                      f"({min(rates):,.1f} – {max(rates):,.1f}) | {median(rows, 'p50'):.1f} | {median(rows, 'p99'):.1f} | "
                      f"{median(rows, 'cpu') / 1e3:.2f} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
