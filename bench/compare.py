#!/usr/bin/env python3
"""The hub, the C limit and Redis under one load program, interleaved; prints medians and ratios as Markdown.

C = connections, D = actions in flight on each, W = watchers that are kept current. The order is limit, hub, Redis,
and again, so that a machine that changes its speed changes it for all.
"""
import argparse
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = os.path.join(HERE, "limit")
FIELDS = "label proto C W S rate p50 p99 p999 su ss cu cs pushes pp50 pp99 pbytes ok".split()
CASES = [(1, 1, 0), (1, 16, 0), (1, 64, 0), (50, 1, 0), (50, 16, 0), (50, 64, 0), (1, 64, 16), (1, 64, 100)]
SCRIPT = (
    "#!lua name=hub\nredis.register_function('hub', function(keys, args) "
    "local v = redis.call('INCR', keys[1]) redis.call('PUBLISH', 'c', v) return v end)\n"
)


class Server:
    def __init__(self, argv, socket, setup=None):
        self.socket, self.setup = socket, setup
        self.process = subprocess.Popen(
            ["taskset", "-c", "0", *argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

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
        self.process.wait(10)


def load(server, protocol, case, seconds):
    connections, depth, watchers = case
    run = subprocess.run(
        ["taskset", "-c", "1", f"{LIMIT}/load", "-s", server.socket, "-p", protocol, "-c", str(connections),
         "-w", str(depth), "-S", str(watchers), "-T", str(seconds), "-q", "-P", str(server.process.pid)],
        capture_output=True, text=True, timeout=120, check=False)
    row = dict(zip(FIELDS, run.stdout.strip().splitlines()[-1].split(",")))
    if row["ok"] != "ok":
        raise SystemExit(f"{protocol} {case}: the run did not add up: {run.stderr.strip()}")
    return float(row["rate"]), float(row["p50"]), float(row["p99"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="the storehubd to measure")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="storehub-bench-")

    def limit(path, _):
        return Server([f"{LIMIT}/server_uv", "-s", path], path), "hub"

    def hub(path, _):
        return Server([options.hub, "--socket", path, "--log-level", "error"], path), "storehub"

    def redis(path, watchers):
        def setup():
            subprocess.run(["redis-cli", "-s", path, "-x", "FUNCTION", "LOAD", "REPLACE"], input=SCRIPT.encode(),
                           check=True, stdout=subprocess.DEVNULL)
        argv = ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no",
                "--daemonize", "no", "--dir", directory]
        return Server(argv, path, setup if watchers else None), "redis-fcall" if watchers else "redis-incr"

    rivals = [("C limit", limit), ("hub", hub)]
    if shutil.which("redis-server"):
        rivals.append(("Redis", redis))
    print("| C | D | W | what | actions/s median (min – max) | ack p50 µs | p99 µs | hub ÷ this |")
    print("|--:|--:|--:|---|--:|--:|--:|--:|")
    for case in CASES:
        results = {name: [] for name, _ in rivals}
        for run in range(options.runs):
            for name, start in rivals:
                path = f"{directory}/{name.split()[0]}{run}.sock"
                server, protocol = start(path, case[2])
                with server:
                    results[name].append(load(server, protocol, case, options.seconds))
                if os.path.exists(path):
                    os.unlink(path)
        medians = {name: [statistics.median(values) for values in zip(*rows)] for name, rows in results.items()}
        for name, _ in rivals:
            rates = [row[0] for row in results[name]]
            rate, p50, p99 = medians[name]
            ratio = "" if name == "hub" else f"{medians['hub'][0] / rate:.2f}"
            spread = f"{rate / 1e3:,.1f} k ({min(rates) / 1e3:,.1f} – {max(rates) / 1e3:,.1f})"
            print(f"| {case[0]} | {case[1]} | {case[2]} | {name} | {spread} | {p50:.1f} | {p99:.1f} | {ratio} |", flush=True)
    shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
