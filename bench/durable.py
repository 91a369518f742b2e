#!/usr/bin/env python3
"""Compares what acknowledgements cost that survive a loss of power, and prints medians and ratios as Markdown.

C = connections, D = actions in flight on each. The C limit appends and calls fdatasync once per loop turn (`-j`), Redis runs
with `appendfsync always`, the hub with `--durability sync`; beside them the hub without a journal. Rounds alternate, as in
compare.py. The second table makes each fsync of the hub take longer (bench/limit/slowsync.c): as long as enough clients
wait at the same time, throughput must not depend on the disk's latency.
"""
import argparse
import os
import shutil
import statistics
import tempfile
import time

from compare import LIMIT, Server, load, median

# Connections, depth, the goal for hub ÷ C limit with its journal, and for hub ÷ Redis.
CASES = [(1, 1, 0.5, None), (1, 16, 0.5, 1.2), (1, 256, 0.5, None), (50, 64, 0.5, 5)]
DELAYS = [100, 3000]
DEPTHS = [64, 1024]


def fsync_latency(directory, count=200):
    """The median time of appending 4 KiB and waiting for the disk, in microseconds."""
    times = []
    with open(f"{directory}/fsync", "wb", buffering=0) as file:
        for _ in range(count):
            start = time.perf_counter()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


class Rivals:
    def __init__(self, hub, directory):
        self.hub, self.directory, self.count = hub, directory, 0
        self.names = ["C limit -j", "hub sync", "hub memory"] + (["Redis always"] if shutil.which("redis-server") else [])

    def start(self, name, delay=None):
        self.count += 1
        place = f"{self.directory}/{self.count}"
        path = f"{place}.sock"
        slow = ["env", f"LD_PRELOAD={LIMIT}/slowsync.so", f"SLOWSYNC_US={delay}"] if delay else []
        if name == "C limit -j":
            return Server([f"{LIMIT}/server_uv", "-s", path, "-j", f"{place}.log"], path), "hub"
        if name == "Redis always":
            os.mkdir(place)
            return Server(["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "yes",
                           "--appendfsync", "always", "--daemonize", "no", "--dir", place], path), "redis-incr"
        durability = ["--state-dir", place, "--durability", "sync"] if name == "hub sync" else []
        return Server([*slow, self.hub, "--socket", path, "--log-level", "error", *durability], path), "storehub"

    def measure(self, names, case, runs, seconds, delay=None):
        results = {name: [] for name in names}
        for run in range(runs):
            for name in names if run % 2 == 0 else reversed(names):
                server, protocol = self.start(name, delay)
                with server:
                    results[name].append(load(server, protocol, (*case, 0), seconds))
        return results


def print_rows(case, goals, results):
    hub = median(results["hub sync"], "rate")
    for name, rows in results.items():
        rates = [row["rate"] for row in rows]
        rate = median(rows, "rate")
        ratio = "" if name == "hub sync" else f"{hub / rate:.2f}"
        if goals.get(name):
            ratio += f" (goal {goals[name]})"
        print(f"| {case[0]} | {case[1]} | {name} | {rate / 1e3:,.1f} k ({min(rates) / 1e3:,.1f} – {max(rates) / 1e3:,.1f}) | "
              f"{median(rows, 'p50'):.0f} | {median(rows, 'p99'):.0f} | {ratio} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="the storehubd to measure")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--directory", help="where the journals are; default: the folder for temporary files")
    options = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="storehub-durable-", dir=options.directory)
    rivals = Rivals(options.hub, directory)
    try:
        print(f"One append of 4 KiB with fdatasync takes {fsync_latency(directory):.0f} µs here (median of 200); "
              f"{options.runs} runs of {options.seconds} s.\n")
        print("| C | D | server | actions/s, median (min – max) | ack p50 µs | p99 µs | hub sync ÷ this |")
        print("|--:|--:|---|--:|--:|--:|--:|")
        for *case, limit_goal, redis_goal in CASES:
            results = rivals.measure(rivals.names, case, options.runs, options.seconds)
            print_rows(case, {"C limit -j": limit_goal, "Redis always": redis_goal}, results)
        print("\n| C | D | each fsync takes, µs more | actions/s of hub sync | ack p50 µs | p99 µs |")
        print("|--:|--:|--:|--:|--:|--:|")
        for depth, delay in [(depth, delay) for depth in DEPTHS for delay in DELAYS]:
            rows = rivals.measure(["hub sync"], (50, depth), options.runs, options.seconds, delay)["hub sync"]
            print(f"| 50 | {depth} | {delay:,} | {median(rows, 'rate') / 1e3:,.1f} k | {median(rows, 'p50'):.0f} | "
                  f"{median(rows, 'p99'):.0f} |", flush=True)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
