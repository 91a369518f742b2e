#!/usr/bin/env python3
"""What a slower disk costs: the hub with `--durability sync` on disks whose fsync takes longer, as a Markdown table.

C = connections, D = actions in flight on each. bench/limit/slowsync.c makes each fsync take longer: as long as enough
clients wait at the same time, throughput must not depend on the disk's latency. The comparison with the C limit's
journal and with Redis is in compare.py.
"""
import argparse
import os
import statistics
import time

from servers import Rivals, TemporaryDirectory, median

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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="the storehubd to measure")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--directory", help="where the journals are; default: the folder for temporary files")
    options = parser.parse_args()
    with TemporaryDirectory(options.directory) as directory:
        rivals = Rivals({"hub": options.hub}, directory)
        print(f"One append of 4 KiB with fdatasync takes {fsync_latency(directory):.0f} µs here (median of 200); "
              f"{options.runs} runs of {options.seconds} s.\n")
        print("| C | D | each fsync takes, µs more | actions/s of hub sync | ack p50 µs | p99 µs |")
        print("|--:|--:|--:|--:|--:|--:|")
        for depth, delay in [(depth, delay) for depth in DEPTHS for delay in DELAYS]:
            rows = rivals.measure(
                ["hub sync"], (50, depth, 0), options.runs, options.seconds, delay=delay)["hub sync"]
            print(f"| 50 | {depth} | {delay:,} | {median(rows, 'rate') / 1e3:,.1f} k | {median(rows, 'p50'):.0f} | "
                  f"{median(rows, 'p99'):.0f} |", flush=True)


if __name__ == "__main__":
    main()
