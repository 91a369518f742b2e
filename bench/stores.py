#!/usr/bin/env python3
"""Writes to several stores that share an etcd: what all of them carry together, and what a commit costs.

Three members of etcd, and three hubs for each store, run on this machine, in a temporary directory. The leaders are
spread over the nodes a, b and c. A load program sends to each leader at the same time. The machine's processors are the
limit, so the table has the processor time of a commit and of an action beside the rates: what machines of their own
would carry follows from these, as docs/SCALING.md does.
"""
import argparse
import base64
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from etcd import free_ports, start
from servers import processor_time

NODES = ("a", "b", "c")


class Store:
    def __init__(self, programs, directory, name, etcd):
        self.programs, self.directory, self.name = programs, directory, name
        links = ",".join(f"{node}@127.0.0.1:{port}" for node, port in zip(NODES, free_ports(3)))
        self.hubs = {}
        for node in NODES:
            with open(self.path(node, "conf"), "w", encoding="ascii") as file:
                file.write(f"[cluster]\nnode = {node}\nnodes = {links}\netcd = {etcd}\nprefix = {name}/\nuids = shared\n")
            with open(self.path(node, "log"), "wb") as log:
                self.hubs[node] = subprocess.Popen(
                    [f"{programs}/storehubd", "--socket", self.path(node, "sock"), "--state-dir", self.path(node, "state"),
                     "--config", self.path(node, "conf")], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def path(self, node, kind):
        return os.path.join(self.directory, f"{self.name}-{node}.{kind}")

    def status(self, node):
        result = subprocess.run(
            [f"{self.programs}/storectl", "--json", "--socket", self.path(node, "sock"), "cluster", "status"],
            capture_output=True, text=True, check=False)
        return json.loads(result.stdout) if result.returncode == 0 else None

    def lead(self, node):
        """Waits until all hubs are linked, and has a node lead."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            statuses = {one: self.status(one) for one in NODES}
            if all(status and len(status["linkedNodes"]) == 2 and status["leader"] for status in statuses.values()):
                leader = statuses[node]["leader"]
                if leader == node:
                    return
                subprocess.run([f"{self.programs}/storectl", "--quiet", "--socket", self.path(leader, "sock"), "cluster",
                                "transfer", node], check=False)
            time.sleep(0.2)
        raise SystemExit(f"{self.name}: node {node} does not lead")


class Scene:
    """Members of etcd and stores, until the end of a `with`."""

    def __init__(self, programs, count):
        self.directory = tempfile.mkdtemp(prefix="stores-")
        self.members, ports = start(self.directory, 3)
        self.ports, self.stores = ports, []
        try:
            self.wait()
            etcd = ", ".join(f"http://127.0.0.1:{port}" for port in ports)
            self.stores = [Store(programs, self.directory, f"store{number + 1}", etcd) for number in range(count)]
            for number, store in enumerate(self.stores):
                store.lead(NODES[number % 3])
        except BaseException:
            self.stop()
            raise

    def call(self, port, name, body):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v3/{name}", json.dumps(body).encode(), 10) as answer:
            return json.load(answer)

    def wait(self):
        end = time.monotonic() + 60
        while True:
            try:
                self.revision()
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def revision(self):
        """The number of changes of etcd: commits, and now and then a beat or a removal."""
        key = base64.b64encode(b"none").decode()
        return int(self.call(self.ports[0], "kv/range", {"key": key})["header"]["revision"])

    def leading_member(self):
        """The index of the member of etcd that leads."""
        for index, port in enumerate(self.ports):
            status = self.call(port, "maintenance/status", {})
            if status["leader"] == status["header"]["member_id"]:
                return index
        raise SystemExit("no member of etcd leads")

    def processes(self):
        leading = self.leading_member()
        found = {"etcd's leader": [self.members[leading].pid],
                 "other members": [member.pid for index, member in enumerate(self.members) if index != leading],
                 "leading hubs": [], "other hubs": []}
        for number, store in enumerate(self.stores):
            for node, hub in store.hubs.items():
                found["leading hubs" if node == NODES[number % 3] else "other hubs"].append(hub.pid)
        return found

    def stop(self):
        for process in [hub for store in self.stores for hub in store.hubs.values()] + self.members:
            process.kill()
            process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def used(processes):
    return {name: sum(processor_time(pid) for pid in pids) for name, pids in processes.items()}


def measure(scene, connections, depth, seconds):
    """One run of a load on all stores at once."""
    processes = scene.processes()
    before, revision, began = used(processes), scene.revision(), time.monotonic()
    children = os.times()
    loads = [subprocess.Popen(
        [f"{store.programs}/storeload", "--socket", store.path(NODES[number % 3], "sock"), "--json", "--connections",
         str(connections), "--depth", str(depth), "--duration", f"{round(seconds * 1000)}ms", "--timeout", "60s"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for number, store in enumerate(scene.stores)]
    reports = []
    for load in loads:
        output, errors = load.communicate()
        if load.returncode:
            raise SystemExit(f"storeload: {errors.strip() or load.returncode}")
        reports.append(json.loads(output))
    elapsed = time.monotonic() - began
    after, commits = used(processes), scene.revision() - revision
    ended = os.times()
    actions = sum(report["actions"] for report in reports)
    times = {name: after[name] - before[name] for name in after}
    times["load"] = (ended.children_user + ended.children_system - children.children_user - children.children_system) * 1e9
    return {
        "rate": sum(report["actionsPerSecond"] for report in reports), "commits": commits / elapsed,
        "p50": statistics.median(report["latencyMicroseconds"]["p50"] for report in reports) / 1000,
        "p99": max(report["latencyMicroseconds"]["p99"] for report in reports) / 1000,
        "busy": sum(times.values()) / 1e9 / elapsed, "perCommit": {name: time / 1000 / commits for name, time in times.items()},
        "perAction": {name: time / 1000 / actions for name, time in times.items()},
    }


def measure_idle(options):
    """The processor time of etcd while a store does nothing whose log is long, in one run of each folder of programs."""
    print("| programs | MiB in the log | all members of etcd, ms of processor time per second |")
    print("|---|--:|--:|")
    for programs in [options.programs, *options.before]:
        with Scene(programs, 1) as scene:
            store = scene.stores[0]
            command = [f"{programs}/storeload", "--socket", store.path("a", "sock"), "--json", "--workload", "edit",
                       "--todos", "100", "--connections", "4", "--payload", str(64 << 10), "--actions",
                       str(options.idle * 16), "--timeout", "60s"]
            filled = subprocess.run(command, capture_output=True, text=True, check=False)
            if filled.returncode:
                raise SystemExit(f"storeload: {filled.stderr.strip()}")
            time.sleep(2)
            pids = {"etcd": [member.pid for member in scene.members]}
            before, began = used(pids), time.monotonic()
            time.sleep(options.seconds)
            times = (used(pids)["etcd"] - before["etcd"]) / 1e6 / (time.monotonic() - began)
            name = "these" if programs == options.programs else programs
            print(f"| {name} | {options.idle} | {times:,.0f} |", flush=True)


def spread(values, digits=0):
    return f"{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f} – {max(values):,.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, help="the folder of storehubd, storectl and storeload")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--stores", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--load", nargs="+", default=["1x1", "1x16", "50x64"], help="connections x actions in flight on each")
    parser.add_argument("--idle", type=int, metavar="MIB", help="only etcd beside an idle store with so much in its log")
    parser.add_argument("--before", nargs="*", default=[], metavar="FOLDER", help="with --idle: other programs as well")
    options = parser.parse_args()
    if not shutil.which("etcd"):
        sys.exit("bench/stores.py: etcd is not installed (Debian package etcd-server)")
    if os.environ.get("REALTIME"):
        # Etcd, the hubs and the loads inherit it.
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(50))
    loads = [tuple(map(int, load.split("x"))) for load in options.load]
    if options.idle:
        return measure_idle(options)
    results = {}
    # In turn, so that slow times of the machine meet all of them.
    for _ in range(options.runs):
        for count in options.stores:
            with Scene(options.programs, count) as scene:
                for load in loads:
                    results.setdefault((load, count), []).append(measure(scene, *load, options.seconds))
    print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} at the end; median (min – max) of "
          f"{options.runs} runs of {options.seconds:g} s.\n")
    print("| C × D on each leader | stores | actions/s of all | ÷ one store | commits/s | ack p50 ms | p99 ms | processors busy |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for (load, count), rows in sorted(results.items()):
        first = statistics.median(row["rate"] for row in results[load, options.stores[0]])
        rate = [row["rate"] for row in rows]
        print(f"| {load[0]} × {load[1]} | {count} | {spread(rate)} | {statistics.median(rate) / first:.2f} | "
              f"{spread([row['commits'] for row in rows])} | {spread([row['p50'] for row in rows], 1)} | "
              f"{spread([row['p99'] for row in rows], 1)} | {spread([row['busy'] for row in rows], 2)} |")
    names = list(next(iter(results.values()))[0]["perCommit"])
    print("\nProcessor time in µs for each commit, and for each action, medians:\n")
    print(f"| C × D | stores | {' | '.join(names)} |")
    print(f"|---|--:|{'--:|' * len(names)}")
    for (load, count), rows in sorted(results.items()):
        cells = [f"{statistics.median(row['perCommit'][name] for row in rows):,.0f}; "
                 f"{statistics.median(row['perAction'][name] for row in rows):,.2f}" for name in names]
        print(f"| {load[0]} × {load[1]} | {count} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
