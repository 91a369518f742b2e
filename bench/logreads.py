#!/usr/bin/env python3
"""How long etcd takes for the reads of a long log, as hubs make them and as they would be with whole ranges.

One member of etcd runs on this machine, in a temporary directory, with a log of small entries and then of large ones. The
requests are those of Sources/Cluster/EtcdLogStore/LogRequests.swift, over etcd's JSON gateway. The times of a read that
hubs make in two steps are those of both.
"""
import argparse
import base64
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
import urllib.request

from etcd import start

END = "h/log0"


def text(value):
    return base64.b64encode(value if isinstance(value, bytes) else value.encode()).decode()


def entry(position):
    return f"h/log/{position:016x}"


def entries(first=0, end=END, **options):
    return {"requestRange": {"key": text(entry(first)), "rangeEnd": text(end), "limit": "1", **options}}


class Log:
    def __init__(self, port, size, count):
        self.port, self.count = port, count
        value, step = text(os.urandom(size)), max(1, min(100, (512 << 10) // size))
        for first in range(1, count + 1, step):
            positions = range(first, min(first + step, count + 1))
            self.transact([{"requestPut": {"key": text(entry(position)), "value": value}} for position in positions])

    def transact(self, operations):
        request = json.dumps({"success": operations}).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/v3/kv/txn", request, 60) as answer:
            return json.load(answer).get("responses", [])

    def time(self, *steps):
        begin = time.perf_counter()
        for step in steps:
            self.transact(step)
        return (time.perf_counter() - begin) * 1000

    def cases(self):
        """Each read, with whole ranges and as hubs make it."""
        # Also those of a member's own data.
        own = {"serializable": True}
        last, middle = self.count, self.count // 2
        sort = {"sortOrder": "DESCEND"}
        return {
            "the first and the last entry": (
                [[entries(), entries(**sort)]],
                [[entries()], [entries(end=entry(2)), entries(last, **sort)]]),
            "a poll at the end": (
                [[entries(last + 1, **own), entries(**own)]], [[entries(last + 1, **own), entries(end=entry(2), **own)]]),
            "8 entries of the middle": (
                [[entries(middle, **(own | {"limit": "8"})), entries(**own)]],
                [[entries(middle, entry(middle + 8), **(own | {"limit": "8"})), entries(end=entry(2), **own)]]),
        }


def measure(size, total, runs):
    with tempfile.TemporaryDirectory(prefix="log-") as directory:
        processes, ports = start(directory, 1)
        try:
            end = time.monotonic() + 20
            while True:
                try:
                    log = Log(ports[0], size, 1)
                    break
                except OSError:
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.2)
            log = Log(ports[0], size, (total << 20) // size)
            for name, (whole, near) in log.cases().items():
                times = [(log.time(*whole), log.time(*near)) for _ in range(runs)]
                before, after = (statistics.median(column) for column in zip(*times))
                print(f"| {size:,} | {log.count:,} | {name} | {before:,.1f} | {after:,.1f} | {after / before:.3f} |", flush=True)
        finally:
            for process in processes:
                process.kill()
                process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, default=256, help="the length of the log")
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    if not shutil.which("etcd"):
        sys.exit("bench/logreads.py: etcd is not installed (Debian package etcd-server)")
    print("| bytes of an entry | entries | read | whole ranges, ms | as hubs read, ms | ratio |")
    print("|--:|--:|---|--:|--:|--:|")
    for size in (500, 64 << 10):
        measure(size, options.mib, options.runs)


if __name__ == "__main__":
    main()
