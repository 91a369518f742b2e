#!/usr/bin/env python3
"""A cluster of three hubs and three members of etcd on this machine's loopback (scripts/cluster), as Markdown tables:
actions at the hub that leads and at one that follows, beside the same entries straight to etcd; freshness, transfers,
kills of a machine's processes, a new node with a large state; and the same of JetStream and of Redis with Sentinel.

All processes share the cores, the load program, too. Budgets are those of docs/CLUSTER.md. C x D: connections and actions
in flight on each. A commit that holds all actions in flight is the best that the client straight to etcd can do, so its
actions/s are C x D times its commits/s.
"""
import argparse
import base64
import contextlib
import json
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

import replicas
from servers import HERE, TemporaryDirectory
from storeload import storeload

sys.path.insert(0, os.path.join(HERE, "..", "Tests", "Torture"))
from client import TimedAdder, blocking, todo_action  # noqa: E402

CASES = [(1, 1), (1, 16), (50, 64)]
# Leader and follower, divided by straight to etcd.
GOALS = {(1, 1): (0.75, 0.6), (1, 16): (0.75, 0.6), (50, 64): (0.6, 0.4)}
SECTIONS = ("throughput", "freshness", "transfer", "kills", "state", "rivals")
FAULTS = "\n## Followers and faults\n\n| | measured | budget | |\n|---|--:|--:|---|"
LIMIT = 120


def wait(condition, what, seconds=LIMIT):
    return replicas.wait(condition, what, seconds)


def free_base():
    """The first of 30 ports that nobody has."""
    while True:
        base = random.randrange(18000, 30000, 30)
        with contextlib.ExitStack() as stack:
            try:
                for offset in range(30):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", base + offset))
            except OSError:
                continue
            return base


class Node:
    """A hub and its member of etcd."""

    def __init__(self, cluster, name, hub, etcd):
        self.cluster, self.name, self.pids = cluster, name, [hub, etcd]
        self.socket, self.started = f"{cluster.directory}/{name}.sock", []

    def status(self):
        """What `storectl cluster status` says; None without an answer."""
        run = subprocess.run([f"{self.cluster.programs}/storectl", "--socket", self.socket, "cluster", "status", "--json"],
                             capture_output=True, text=True, check=False)
        return json.loads(run.stdout) if run.returncode == 0 else None

    def is_current(self):
        status = self.status()
        return status and status["condition"] == "current" and status["lag"] == 0 and len(status["linkedNodes"]) == 2

    def kill(self, hub=True, etcd=True):
        for pid, chosen in zip(self.pids, (hub, etcd)):
            if chosen:
                os.kill(pid, signal.SIGKILL)
        for process in self.started:
            if process.pid in self.pids and (hub, etcd)[self.pids.index(process.pid)]:
                process.wait()
        for pid, chosen in zip(self.pids, (hub, etcd)):
            wait(lambda pid=pid, chosen=chosen: not chosen or not os.path.exists(f"/proc/{pid}"), f"the end of {self.name}")

    def start(self, hub=True, etcd=True):
        directory = self.cluster.directory
        argv = [f"{self.cluster.programs}/storehubd", "--socket", self.socket, "--state-dir", f"{directory}/{self.name}",
                "--config", f"{directory}/{self.name}.conf"]
        for index, (chosen, command) in enumerate(((hub, argv), (etcd, [f"{directory}/etcd-{self.name}"]))):
            if chosen:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.cluster.log)
                self.started.append(process)
                self.pids[index] = process.pid

    def lose_disk(self):
        """Removes what the hub, which does not run, has stored."""
        shutil.rmtree(f"{self.cluster.directory}/{self.name}")
        os.remove(f"{self.socket}.history")


class Cluster:
    """What scripts/cluster starts."""

    def __init__(self, programs, log, settings=""):
        self.programs, self.log = programs, log
        self.base = free_base()
        self.process = subprocess.Popen(
            [f"{HERE}/../scripts/cluster", programs], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
            env=os.environ | {"CLUSTER_PORT": str(self.base), "CLUSTER_SETTINGS": settings})
        self.nodes, self.directory, found = {}, None, {}
        for line in self.process.stdout:
            if match := re.match(r"Node (\w) is process (\d+), and its member of etcd is process (\d+)\.", line):
                found[match[1]] = int(match[2]), int(match[3])
            if match := re.search(r"storehubd --socket (.*)/(\w)\.sock", line):
                self.directory = match[1]
                self.nodes[match[2]] = Node(self, match[2], *found[match[2]])
                if len(self.nodes) == 3:
                    break
        if len(self.nodes) != 3:
            raise SystemExit("scripts/cluster has started nothing")

    def __enter__(self):
        for node in self.nodes.values():
            wait(node.is_current, f"node {node.name}")
        return self

    def __exit__(self, *_):
        started = [process for node in self.nodes.values() for process in node.started]
        for process in started:
            process.kill()
        for process in started:
            process.wait()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    @property
    def leader(self):
        def found():
            for node in self.nodes.values():
                status = node.status()
                if status and status["condition"] == "current" and status["leader"] in self.nodes:
                    return self.nodes[status["leader"]]
            return None
        return wait(found, "a leader")

    def followers(self, leader):
        return [node for node in self.nodes.values() if node is not leader]

    # etcd

    @property
    def ports(self):
        return {name: self.base + 11 + index for index, name in enumerate("abc")}

    def ask(self, port, call, body):
        """A call of etcd by its JSON gateway."""
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v3/{call}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def member_of(self, node):
        """The port of the member of etcd to which a hub is connected."""
        inodes = set()
        for entry in os.listdir(f"/proc/{node.pids[0]}/fd"):
            with contextlib.suppress(OSError):
                inodes.add(os.readlink(f"/proc/{node.pids[0]}/fd/{entry}"))
        with open(f"/proc/{node.pids[0]}/net/tcp", encoding="ascii") as file:
            for fields in map(str.split, list(file)[1:]):
                port = int(fields[2].split(":")[1], 16)
                if f"socket:[{fields[9]}]" in inodes and port in self.ports.values():
                    return port
        raise SystemExit(f"the hub of node {node.name} is connected to no member of etcd")

    def leads_etcd(self, node):
        found = self.ask(self.ports[node.name], "maintenance/status", {})
        return found["leader"] == found["header"]["member_id"]

    def leader_of_etcd(self, node):
        """The member that leads, as the member of a node has it; 0 if it has none."""
        with contextlib.suppress(OSError):
            return int(self.ask(self.ports[node.name], "maintenance/status", {}).get("leader", 0))
        return 0

    def entry_bytes(self, count):
        """The mean size of the last entries of the log."""
        key, end = (base64.b64encode(text).decode() for text in (b"storehub/log/", b"storehub/log0"))
        found = self.ask(self.ports["a"], "kv/range", {
            "key": key, "range_end": end, "limit": count, "sort_order": "DESCEND", "sort_target": "KEY"})
        sizes = [len(base64.b64decode(each["value"])) for each in found["kvs"]]
        return statistics.mean(sizes)

    def forget(self, prefix):
        """Removes keys that are not of the hubs."""
        key, end = prefix.encode(), prefix[:-1].encode() + bytes([ord(prefix[-1]) + 1])
        self.ask(self.ports["a"], "kv/deleterange", {
            "key": base64.b64encode(key).decode(), "range_end": base64.b64encode(end).decode()})


def cell(values, form="{:,.0f}"):
    """The median of values, with the least and the greatest."""
    return f"{form.format(statistics.median(values))} ({form.format(min(values))} – {form.format(max(values))})"


def verdict(is_met):
    return "met" if is_met else "missed"


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


# Throughput

def run_hub(options, cluster, node, case):
    """One run: actions/s, p50 and p99 in ms, actions in an entry, bytes of an entry."""
    before = node.status()["position"]
    report = storeload(options.programs, node, "-c", case[0], "-d", case[1], "-t", f"{options.seconds}s", "--warmup",
                       "0.3s", "--timeout", "60s", core=None)
    entries = max(1, node.status()["position"] - before)
    latency = report["latencyMicroseconds"]
    actions = report["actionsPerSecond"] * (options.seconds + 0.3)
    return {"rate": report["actionsPerSecond"], "p50": latency["p50"] / 1e3, "p99": latency["p99"] / 1e3,
            "depth": max(1.0, actions / entries), "bytes": cluster.entry_bytes(50)}


def straight(options, cluster, port, size):
    """Commits per second of entries of a size, with the client in Swift and with that in C."""
    rates = {}
    for name, program, place in (("Swift", f"{options.programs}/etcdappend", f"http://127.0.0.1:{port}"),
                                 ("C", f"{HERE}/limit/etcd_append", str(port))):
        run = subprocess.run([program, place, str(options.seconds), str(size), f"bench{random.getrandbits(40)}/"],
                             capture_output=True, text=True, timeout=120, check=False)
        if run.returncode:
            raise SystemExit(f"{program}: {run.stderr.strip()}")
        rates[name] = float(run.stdout)
    cluster.forget("bench")
    return rates


def throughput(options, cluster):
    print("## Actions\n")
    print("| C × D | | actions/s, median (min – max) | ack p50 ms | p99 ms | actions in an entry | bytes | ÷ straight to "
          "etcd with the same client, median (min – max) | budget | |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|---|")
    for case in CASES:
        rows = {name: [] for name in ("leader", "follower", "etcd, client in Swift", "etcd, client in C")}
        for number in range(options.runs):
            leader = cluster.leader
            follower = random.choice(cluster.followers(leader))
            order = [("leader", leader), ("follower", follower)]
            for name, node in order if number % 2 == 0 else reversed(order):
                rows[name].append(run_hub(options, cluster, node, case))
            led = rows["leader"][-1]
            # What all actions in flight would take in one entry.
            size = int(led["bytes"] * max(1.0, case[0] * case[1] / led["depth"]))
            for name, rate in straight(options, cluster, cluster.member_of(leader), size).items():
                rows[f"etcd, client in {name}"].append({"rate": rate * case[0] * case[1], "bytes": size})
        base = rows["etcd, client in Swift"]
        for name, found in rows.items():
            text = f"| {case[0]} × {case[1]} | {name} | {cell([each['rate'] for each in found])} | "
            if "p50" in found[0]:
                shares = [each["rate"] / other["rate"] for each, other in zip(found, base)]
                goal = GOALS[case][name == "follower"]
                text += " | ".join(f"{statistics.median([each[key] for each in found]):,.{digits}f}"
                                   for key, digits in (("p50", 2), ("p99", 2), ("depth", 1), ("bytes", 0)))
                text += f" | {cell(shares, '{:.2f}')} | ≥ {goal} | {verdict(statistics.median(shares) >= goal)} |"
                if case == (1, 1) and name == "follower":
                    slow = statistics.median([each["p50"] for each in found])
                    text += f"\n| | follower's ack p50 | {slow:.2f} ms | | | | | | ≤ 2.5 ms | {verdict(slow <= 2.5)} |"
            else:
                text += f" | | {case[0] * case[1]} | {statistics.median([each['bytes'] for each in found]):,.0f} | | | |"
            print(text, flush=True)


# Freshness

def freshness(options, cluster):
    """A client of the leader sends an action, and one of a follower waits for the value. Both are in this process."""
    leader = cluster.leader
    times = []
    with blocking.connect(leader.socket) as sender, blocking.connect(cluster.followers(leader)[0].socket) as watcher:
        part, end = watcher.attach("counter.count"), time.monotonic() + max(2, options.seconds * options.runs)
        while time.monotonic() < end:
            before = part.value
            start = time.perf_counter()
            sent = sender.begin({"counter": "incrementButtonTapped"})
            sender.poll()
            part.wait_until(lambda value, before=before: value != before, 30)
            times.append(time.perf_counter() - start)
            sent.wait(30)
            time.sleep(0.002)
    p50, p99 = percentile(times, 0.5) * 1e3, percentile(times, 0.99) * 1e3
    print(f"| freshness of a follower's client, p50 | {p50:.2f} ms | ≤ 2.5 ms | {verdict(p50 <= 2.5)} |")
    print(f"| the same, p99, of {len(times):,} actions | {p99:.2f} ms | ≤ 20 ms | {verdict(p99 <= 20)} |", flush=True)


# Gaps

class Adders:
    """A client of each node, which adds todos all the time."""

    def __init__(self, cluster):
        self.cluster = cluster

    def __enter__(self):
        action = todo_action(self.cluster.leader.socket)
        self.of = {name: TimedAdder(f"client-{name}", node.socket, action, window=4, pause=0.01)
                   for name, node in self.cluster.nodes.items()}
        for adder in self.of.values():
            adder.start()
        self.progress(self.of)
        return self

    def progress(self, names, count=20):
        goals = {name: self.of[name].applied + count for name in names}
        wait(lambda: all(self.of[name].applied >= goal for name, goal in goals.items()), "an acknowledgement")

    def forget(self):
        for adder in self.of.values():
            adder.slowest, adder.ends = 0.0, []

    def __exit__(self, *_):
        for adder in self.of.values():
            adder.is_draining.set()
        for adder in self.of.values():
            adder.join(LIMIT)
            adder.is_stopping.set()


class Election(threading.Thread):
    """Measures the time from its start until etcd has another leader."""

    def __init__(self, cluster, node):
        super().__init__(daemon=True)
        former = cluster.leader_of_etcd(node)
        self.is_over = lambda: cluster.leader_of_etcd(node) not in (0, former)
        self.seconds = None

    def run(self):
        start = time.perf_counter()
        wait(self.is_over, "a leader of etcd")
        self.seconds = time.perf_counter() - start


def transfers(options, cluster):
    gaps, commands = [], []
    with Adders(cluster) as adders:
        for _ in range(options.transfers):
            leader = cluster.leader
            successor = random.choice(cluster.followers(leader))
            wait(lambda: len(leader.status()["linkedNodes"]) == 2, "the links")
            adders.forget()
            start = time.perf_counter()
            subprocess.run([f"{options.programs}/storectl", "--socket", leader.socket, "cluster", "transfer", successor.name],
                           capture_output=True, check=True)
            commands.append(time.perf_counter() - start)
            adders.progress(adders.of)
            gaps.append(max(adder.slowest for adder in adders.of.values()))
    p50, longest = (figure * 1e3 for figure in (statistics.median(gaps), max(gaps)))
    print(f"| a transfer: slowest action of all clients, p50 of {len(gaps)} | {p50:.0f} ms | ≤ 100 ms | {verdict(p50 <= 100)} |")
    print(f"| the same, max | {longest:.0f} ms | | |")
    print(f"| the same, the command | {statistics.median(commands) * 1e3:.0f} ms | | |", flush=True)


def kills(options, cluster):
    """Kills the processes of the machine whose hub leads."""
    gaps, elections, closed = [], [], 0
    with Adders(cluster) as adders:
        for _ in range(options.kills):
            victim = cluster.leader
            elsewhere = [node.name for node in cluster.followers(victim)]
            election = Election(cluster, cluster.followers(victim)[0]) if cluster.leads_etcd(victim) else None
            adders.forget()
            if election:
                election.start()
            victim.kill()
            adders.progress(elsewhere)
            gaps.append(max(adders.of[name].slowest for name in elsewhere))
            if election:
                election.join()
                elections.append((election.seconds, gaps[-1]))
            closed += sum(len(adders.of[name].ends) for name in elsewhere)
            victim.start()
            for node in cluster.nodes.values():
                wait(node.is_current, f"node {node.name}")
            adders.progress(adders.of)
    p50, longest = statistics.median(gaps), max(gaps)
    print(f"| `kill -9` of the leader's machine: gap of clients elsewhere, p50 of {len(gaps)}, {len(elections)} of them with "
          f"etcd's leader | {p50:.2f} s | ≤ 1.5 s | {verdict(p50 <= 1.5)} |")
    print(f"| the same, max | {longest:.2f} s | ≤ 3 s | {verdict(longest <= 3)} |")
    if elections:
        seconds = [election for election, _ in elections]
        print(f"| of those with etcd's leader: etcd has another one after, p50; max | {statistics.median(seconds):.2f} s; "
              f"{max(seconds):.2f} s | | |")
        print(f"| the same, the gap goes on for, max | {max(gap - election for election, gap in elections):.2f} s | | |")
    print(f"| the same, closed connections | {closed} | 0 | {verdict(closed == 0)} |", flush=True)


# A new node

def new_node(options, log):
    """A node without a disk gets a snapshot of a large state, while a client of the leader goes on."""
    with Cluster(options.programs, log, "keep = 8M") as cluster:
        leader, size = cluster.leader, 8192
        storeload(options.programs, leader, "-w", "add", "--payload", size, "-c", 4, "-d", 16, "-n",
                  # A hub allows 256 MiB, with what each todo has beside its text.
                  options.state_mb * 1_000_000 // size, "--timeout", "120s", core=None)
        node = cluster.followers(leader)[0]
        wait(lambda: node.is_current() and leader.is_current(), "the state", 600)

        def load(*arguments):
            return subprocess.Popen(
                [f"{options.programs}/storeload", "--socket", leader.socket, "--json", "--quiet", "--timeout", "120s",
                 *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def p99(process):
            output, errors = process.communicate()
            if not output:
                raise SystemExit(f"storeload: {errors}")
            return json.loads(output)["latencyMicroseconds"]["p99"] / 1e3
        quiet = p99(load("-t", f"{max(2, options.seconds * 3)}s"))
        node.kill(etcd=False)
        node.lose_disk()
        busy = load("-t", "600s")
        time.sleep(0.5)
        start = time.monotonic()
        node.start(etcd=False)
        wait(node.is_current, "the new node", 600)
        seconds = time.monotonic() - start
        busy.send_signal(signal.SIGINT)
        during, taken = p99(busy), node.status()["snapshotsTaken"]
    goal = 30 * options.state_mb / 256
    print(f"| a new node with a state of {options.state_mb} MB, {'by a snapshot' if taken else 'from the log'} | "
          f"{seconds:.1f} s | ≤ 30 s for 256 MB, thus {goal:.0f} s | {verdict(seconds <= goal)} |")
    print(f"| p99 of a client of the leader meanwhile ÷ quiet ({during:.2f} ÷ {quiet:.2f} ms) | {during / quiet:.1f} | ≤ 2 | "
          f"{verdict(during / quiet <= 2)} |", flush=True)


# Rivals

def rivals(options, directory):
    print("\n## JetStream and Redis with Sentinel, with three processes each\n")
    print("| | version | C × D | appends/s | ack p50 ms | p99 ms | an acknowledgement means |")
    print("|---|---|---|--:|--:|--:|---|")
    gaps = []
    for start in replicas.found(directory, options.nats_server):
        with start() as rival:
            for case in CASES:
                rows = [rival.rate(*case, options.seconds) for _ in range(options.runs)]
                print(f"| {rival.name} | {rival.version} | {case[0]} × {case[1]} | {cell([row[0] for row in rows])} | "
                      f"{statistics.median([row[1] for row in rows]):.2f} | {statistics.median([row[2] for row in rows]):.2f} | "
                      f"{rival.promise} |", flush=True)
            gaps.append((rival.name, [rival.gap() for _ in range(options.rival_kills)]))
    print("\n| `kill -9` of the process that leads | gap of a client, p50 | max | kills | acknowledged, and lost |")
    print("|---|--:|--:|--:|--:|")
    for name, found in gaps:
        times = [gap for gap, _ in found]
        print(f"| {name} | {statistics.median(times):.2f} s | {max(times):.2f} s | {len(times)} | "
              f"{sum(lost for _, lost in found)} |", flush=True)
    print("\nWhat they do not promise: a client's connection that outlives the machine, actions that take effect once "
          "whatever\nis cut or killed, and a typed state with the rights of each user. JetStream drops a repeated message "
          "only if the\nclient names it, and within a time.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storehubd, storectl, storeload and etcdappend")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--rival-kills", type=int, default=5)
    parser.add_argument("--transfers", type=int, default=10)
    parser.add_argument("--state-mb", type=int, default=64, help="the state of the new node; the budget is for 256")
    parser.add_argument("--nats-server", metavar="PATH", help="another nats-server than that on PATH")
    parser.add_argument("--log", metavar="FILE", help="where the hubs' logs go")
    parser.add_argument("only", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; default all")
    options = parser.parse_args()
    if unknown := set(options.only) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}")
    if not shutil.which("etcd"):
        sys.exit("bench/cluster.py: etcd is not installed (Debian package etcd-server)")
    chosen = options.only or SECTIONS
    # So that what this has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    etcd = subprocess.run(["etcd", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    print(f"etcd {etcd}; load average at the start: {os.getloadavg()[0]:.1f}; {os.cpu_count()} cores; {options.runs} runs of "
          f"{options.seconds} s.\n")
    with TemporaryDirectory() as directory, open(options.log or os.devnull, "ab") as log:
        if set(chosen) & {"throughput", "freshness", "transfer", "kills"}:
            with Cluster(options.programs, log) as cluster:
                if "throughput" in chosen:
                    throughput(options, cluster)
                if set(chosen) & {"freshness", "transfer", "kills"}:
                    print(FAULTS)
                for name, section in (("freshness", freshness), ("transfer", transfers), ("kills", kills)):
                    if name in chosen:
                        section(options, cluster)
        if "state" in chosen:
            if not set(chosen) & {"freshness", "transfer", "kills"}:
                print(FAULTS)
            new_node(options, log)
        if "rivals" in chosen:
            rivals(options, directory)
    print(f"\nLoad average at the end: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
