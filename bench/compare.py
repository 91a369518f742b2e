#!/usr/bin/env python3
"""Compares the hub, the C limit and Redis under one load program and prints medians and ratios as Markdown.

C = connections, D = actions in flight on each, W = watchers that receive every change. Rounds alternate: limit, hub,
Redis in one and the reverse in the next, so that a machine that changes its speed changes it for all.

Freshness is the time from the write of an action to the read of the first delta that contains it, for every action (up
to 16 watchers are sampled). In the first table each server runs at its own full speed. The second table compares
freshness at one rate: half of what the slower of hub and C limit reached in the first.

REALTIME=1 runs servers and load with real-time priority (chrt, needs root) on a machine that has other work.
"""
import argparse
import os
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = os.path.join(HERE, "limit")
FIELDS = "label proto C W S rate p50 p99 p999 su ss cu cs pushes pp50 pp99 pbytes ok cpu".split()
# Connections, depth, watchers, and the goal for hub ÷ C limit.
CASES = [
    (1, 1, 0, 0.95), (1, 16, 0, 0.9), (1, 64, 0, 0.9), (50, 1, 0, 0.9), (50, 16, 0, 0.9), (50, 64, 0, 0.75),
    (1, 64, 16, 0.8), (1, 64, 100, 1), (1, 64, 1000, 1),
]
SCRIPT = (
    "#!lua name=hub\nredis.register_function('hub', function(keys, args) "
    "local v = redis.call('INCR', keys[1]) redis.call('PUBLISH', 'c', v) return v end)\n"
)


def on_core(core, argv):
    """The command that runs a program on one core, ahead of everything else on a machine that has other work."""
    realtime = ["chrt", "-r", "50"] if os.environ.get("REALTIME") else []
    return [*realtime, "taskset", "-c", str(core), *argv]


class Server:
    def __init__(self, argv, socket, setup=None):
        self.socket, self.setup = socket, setup
        self.process = subprocess.Popen(
            on_core(0, argv), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        for _ in range(500):
            if os.path.exists(self.socket):
                break
            time.sleep(0.01)
        time.sleep(0.1)
        if self.setup:
            self.setup()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if os.path.exists(self.socket):
            os.unlink(self.socket)


def load(server, protocol, case, seconds, rate=None):
    """One run of the load program: its figures by name."""
    connections, depth, watchers = case
    # At a fixed rate the depth only bounds what a server that cannot keep up has in flight.
    pace = ["-r", str(rate), "-w", "4096"] if rate else ["-w", str(depth)]
    run = subprocess.run(
        on_core(1, [f"{LIMIT}/load", "-s", server.socket, "-p", protocol, "-c", str(connections), *pace,
                    "-S", str(watchers), "-T", str(seconds), "-q", "-P", str(server.process.pid)]),
        capture_output=True, text=True, timeout=120, check=False)
    lines = run.stdout.strip().splitlines()
    row = dict(zip(FIELDS, lines[-1].split(","))) if lines else {"ok": "no result"}
    if row["ok"] != "ok":
        raise SystemExit(f"{protocol} {case}: the run did not add up: {run.stderr.strip()}")
    return {name: float(row[name]) for name in ("rate", "p50", "p99", "pp50", "pp99", "cpu")}


class Rivals:
    """The servers to compare, by name."""

    def __init__(self, hubs, directory):
        self.hubs, self.directory, self.count = hubs, directory, 0
        self.names = ["C limit", *hubs] + (["Redis"] if shutil.which("redis-server") else [])

    def start(self, name, watchers):
        self.count += 1
        path = f"{self.directory}/{self.count}.sock"
        if name == "C limit":
            return Server([f"{LIMIT}/server_uv", "-s", path], path), "hub"
        if name in self.hubs:
            return Server([self.hubs[name], "--socket", path, "--log-level", "error"], path), "storehub"

        def setup():
            subprocess.run(["redis-cli", "-s", path, "-x", "FUNCTION", "LOAD", "REPLACE"], input=SCRIPT.encode(),
                           check=True, stdout=subprocess.DEVNULL)
        argv = ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no",
                "--daemonize", "no", "--dir", self.directory]
        return Server(argv, path, setup if watchers else None), "redis-fcall" if watchers else "redis-incr"

    def measure(self, names, case, runs, seconds, rate=None):
        """For each name the figures of every run, in alternating order."""
        results = {name: [] for name in names}
        for run in range(runs):
            for name in names if run % 2 == 0 else reversed(names):
                server, protocol = self.start(name, case[2])
                with server:
                    results[name].append(load(server, protocol, case, seconds, rate))
        return results


def median(rows, figure):
    return statistics.median(row[figure] for row in rows)


def throughput_rows(case, goal, results):
    hub = median(results["hub"], "rate")
    for name, rows in results.items():
        rates = [row["rate"] for row in rows]
        rate = median(rows, "rate")
        ratio = "" if name == "hub" else f"{hub / rate:.2f}"
        if name == "C limit":
            ratio += f" (goal {goal})"
        fresh = f"{median(rows, 'pp50'):.0f} / {median(rows, 'pp99'):.0f}" if case[2] else ""
        print(f"| {case[0]} | {case[1]} | {case[2]} | {name} | {rate / 1e3:,.1f} k "
              f"({min(rates) / 1e3:,.1f} – {max(rates) / 1e3:,.1f}) | {median(rows, 'p50'):.1f} | "
              f"{median(rows, 'p99'):.1f} | {fresh} | {median(rows, 'cpu') / 1e3:.2f} | {ratio} |", flush=True)


def freshness_rows(watchers, rate, results):
    limit = median(results["C limit"], "pp99")
    for name, rows in results.items():
        ratio = f"{median(rows, 'pp99') / limit:.2f} (goal 2)" if name != "C limit" and limit else ""
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
    parser.add_argument("--only", metavar="CxDxW", help="one row, such as 1x64x100")
    parser.add_argument("--rate", type=int, help="actions/s of the freshness table; default: half the slower server's")
    options = parser.parse_args()

    # Children inherit it: a thousand watchers need a thousand descriptors in the server and in the load program.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    cases = [case for case in CASES if not options.only or "x".join(map(str, case[:3])) == options.only]
    if not cases:
        parser.error(f"there is no row {options.only}")
    for case in [case for case in cases if hard != resource.RLIM_INFINITY and case[2] + 100 > hard]:
        print(f"left out: {case[2]} watchers need more than the {hard} descriptors allowed here (ulimit -Hn)")
        cases.remove(case)

    directory = tempfile.mkdtemp(prefix="storehub-bench-")
    hubs = {"hub": options.hub} | ({"hub before": options.before} if options.before else {})
    rivals = Rivals(hubs, directory)
    try:
        print(f"Load average at the start: {os.getloadavg()[0]:.1f}; {options.runs} runs of {options.seconds} s.\n")
        print("| C | D | W | server | actions/s, median (min – max) | ack p50 µs | p99 µs | freshness p50 / p99 µs "
              "| server CPU µs/action | hub ÷ this |")
        print("|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|")
        rates = {}
        for *case, goal in cases:
            results = rivals.measure(rivals.names, case, options.runs, options.seconds)
            throughput_rows(case, goal, results)
            if case[2]:
                rates[case[2]] = options.rate or common_rate({name: results[name] for name in ("C limit", "hub")})
        if rates:
            print("\n| W | server | actions/s wanted | reached | freshness p50 µs | p99 µs | p99 ÷ C limit's |")
            print("|--:|---|--:|--:|--:|--:|--:|")
        for watchers, rate in rates.items():
            results = rivals.measure(["C limit", *hubs], (1, 64, watchers), options.runs, options.seconds, rate)
            freshness_rows(watchers, rate, results)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
