#!/usr/bin/env python3
"""How long a hub takes to recover after `kill -9`, what an action takes on disk, and how long a snapshot holds up a
client, as Markdown tables.

Recovery is timed from the start of the process to the first answer, which must name the state that was acknowledged.
"""
import argparse
import json
import os
import signal
import subprocess
import time

from servers import Server, TemporaryDirectory, on_core
from storeload import storeload


def hub(programs, directory, path, log=subprocess.DEVNULL):
    if os.path.exists(path):
        os.unlink(path)
    argv = [f"{programs}/storehubd", "--socket", path, "--state-dir", f"{directory}/state", "--log-level", "debug"]
    return subprocess.Popen(on_core(0, argv), stdout=subprocess.DEVNULL, stderr=log)


def stored_bytes(directory):
    return sum(os.path.getsize(f"{directory}/state/{name}") for name in os.listdir(f"{directory}/state"))


def answer(programs, path, place):
    """What the hub says of a place in its state; nil while it does not serve."""
    run = subprocess.run([f"{programs}/storectl", "--socket", path, "state", place, "--json"],
                         capture_output=True, text=True, timeout=600, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else None


def first_answer(programs, process, path, place, seconds=600):
    """What a hub that was just started says of a place in its state, as soon as it serves."""
    deadline = time.monotonic() + seconds
    while (found := answer(programs, path, place)) is None:
        if process.poll() is not None:
            raise SystemExit(f"the hub ended with status {process.returncode} before it served")
        if time.monotonic() > deadline:
            process.kill()
            raise SystemExit(f"the hub did not serve within {seconds} s")
        time.sleep(0.01)
    return found


def longest_turn(programs, path):
    """The longest turn of the hub's loop since its start, in microseconds."""
    run = subprocess.run([f"{programs}/storectl", "--socket", path, "status", "--json", "--timeout", "120s"],
                         capture_output=True, text=True, timeout=240, check=True)
    return json.loads(run.stdout)["figures"]["longestTurnMicroseconds"]


class Listening(Server):
    """A hub that was started elsewhere; it listens when it has recovered its state."""

    start_limit = 600

    def __init__(self, process, path):
        self.process, self.argv = process, process.args
        self.socket, self.port, self.setup = path, None, None


def recovery(options, name, actions, arguments, place):
    with TemporaryDirectory(options.directory) as directory:
        path = f"{directory}/hub.sock"
        with Listening(hub(options.programs, directory, path), path) as server:
            report = storeload(options.programs, server, *arguments, "-n", actions, "--timeout", "60s", "--alone")
            before = answer(options.programs, path, place)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
        size = stored_bytes(directory)
        times = []
        for _ in range(options.runs):
            start = time.perf_counter()
            process = hub(options.programs, directory, path)
            after = first_answer(options.programs, process, path, place)
            times.append(time.perf_counter() - start)
            if after != before:
                raise SystemExit(f"{name}: {place} was {before} before the kill and is {after}")
            process.kill()
            process.wait()
        times.sort()
        print(f"| {name} | {actions:,} | {report['actionsPerSecond'] / 1e3:,.0f} k | {size / 1e6:,.0f} | "
              f"{size / actions:.1f} | {times[len(times) // 2]:.2f} ({times[0]:.2f} – {times[-1]:.2f}) |", flush=True)


def snapshot(options):
    """One client edits a list at a fixed rate, while the hub saves snapshots and while it saves none."""
    with TemporaryDirectory(options.directory) as directory:
        path, log = f"{directory}/hub.sock", f"{directory}/hub.log"
        with open(log, "w", encoding="utf-8") as output:
            with Listening(hub(options.programs, directory, path, output), path) as server:
                edit = ["-w", "edit", "--todos", options.todos, "--rate", 500, "--timeout", "60s"]
                storeload(options.programs, server, *edit, "--duration", "1s")
                server.process.send_signal(signal.SIGTERM)
                server.process.wait()
            for payload in (16, 8192):
                # Another process for each, because the hub tells the longest turn since its start.
                with Listening(hub(options.programs, directory, path, output), path) as server:
                    first_answer(options.programs, server.process, path, "todos.nextID")
                    with open(log, encoding="utf-8") as file:
                        before = file.read().count("saved a snapshot")
                    report = storeload(options.programs, server, *edit, "--payload", payload, "--duration", "30s")
                    with open(log, encoding="utf-8") as file:
                        count = file.read().count("saved a snapshot") - before
                    latency = report["latencyMicroseconds"]
                    print(f"| {options.todos:,} | {payload:,} | {count} | " + " | ".join(
                        f"{latency[name] / 1e3:,.1f}" for name in ("p50", "p99", "p99_9", "max")) +
                        f" | {longest_turn(options.programs, path) / 1e3:,.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storehubd, storectl and storeload")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--actions", type=int, default=10_000_000)
    parser.add_argument("--todos", type=int, default=1_000_000)
    parser.add_argument("--directory", help="where the journals are; default: the folder for temporary files")
    options = parser.parse_args()
    print("| workload | actions | stored actions/s | MB on disk | bytes per action | recovery s, median (min – max) |")
    print("|---|--:|--:|--:|--:|--:|")
    recovery(options, "increment, 50 × 64", options.actions, ["-c", 50, "-d", 64], "counter.count")
    recovery(options, "increment, 1 × 16", options.actions // 10, ["-c", 1, "-d", 16], "counter.count")
    recovery(options, "add, 50 × 64", options.todos, ["-w", "add", "-c", 50, "-d", 64], "todos.nextID")
    print("\n| todos | bytes of an edit | snapshots in 30 s | ack p50 ms | p99 | p99.9 | max | longest turn ms |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    snapshot(options)


if __name__ == "__main__":
    main()
