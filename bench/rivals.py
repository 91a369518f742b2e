#!/usr/bin/env python3
"""The hub beside what Linux programs use for the same today, as Markdown tables: what is installed is measured.

The same work for all: one writer, which sends an action and waits until it is acknowledged, again and again; and N
subscribers, in one other process, which receive the latest value. Who keeps the value differs: where the rival is only a
transport, a small server of bench/rivals owns it, answers the writer, and publishes. Servers run on core 0, clients on
core 1. Rounds alternate. Freshness is the time from an action to the first message with its value, at up to 16
subscribers. "Complete" counts the subscribers that had the last value in the end.

The clients are in C (rival.h; of the hub, bench/limit/load), but Zenoh and iceoryx2 come as Python packages only: "hub
(Python)" is the hub with its Python client, for comparison with these. --python names an interpreter that has them.
"""
import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys

from servers import HERE, Rivals, Server, TemporaryDirectory, free_port, load, median, on_core, raise_descriptor_limit, ratios

FOLDER = os.path.join(HERE, "rivals")
# What each promises.
PROMISES = ["stored before it is acknowledged", "once, also after a cut", "no gaps in what a subscriber sees",
            "typed state", "late subscribers get the state", "rights by the kernel's identity"]
YES, NO = "yes", "no"
RIVALS = {
    "hub": [NO, "yes, while the hub lives", "yes: the latest state", YES, YES, YES],
    "hub sync": [YES, YES, "yes: the latest state", YES, YES, YES],
    "hub (Python)": [NO, "yes, while the hub lives", "yes: the latest state", YES, YES, YES],
    "dbus-daemon": [NO, "no: a call is lost or unknown", "no: signals end with the connection", "typed messages",
                    "no: a service may keep properties", YES],
    "dbus-broker": [NO, "no: a call is lost or unknown", "no: signals end with the connection", "typed messages",
                    "no: a service may keep properties", YES],
    "ZeroMQ": [NO, "no: a request is lost with the server", "no: lost while a subscriber is away", NO, NO,
               "no: of the socket's file"],
    "mosquitto": ["no: saved at intervals", "no: at least once (QoS 1)", "while a session is kept, up to a limit", NO,
                  "the last message, if retained", "no: passwords or certificates"],
    "etcd": [YES, "no: a repeated put counts twice, unless a transaction guards it", "yes, until compacted", NO, YES,
             "no: passwords or certificates"],
    "Zenoh": [NO, "no: a query is lost with the server", "no: lost while a subscriber is away", NO,
              "no: a storage may keep them", "no: passwords or certificates"],
    "iceoryx2": [NO, "no: a request is lost with the server", "no: a slow one loses the oldest", "typed messages",
                 "the last samples, if kept", "no: of the files"],
}


class Missing(Exception):
    """What is not installed, and its package."""


def need(program, package):
    if not (shutil.which(program) or os.access(program, os.X_OK)):
        raise Missing(f"apt-get install {package}")
    return program


def output(*argv):
    found = subprocess.run(argv, capture_output=True, text=True, check=False)
    return (found.stdout or found.stderr).strip()


class Bench:
    """Starts a rival by its name. Each method gives the version, the servers, and the client's command and address."""

    def __init__(self, options, directory):
        self.options, self.directory, self.count = options, directory, 0
        self.hubs = Rivals({"hub": options.hub}, directory)

    def place(self):
        self.count += 1
        return f"{self.directory}/r{self.count}"

    def version(self, name):
        """The version; raises `Missing`."""
        if name.startswith("hub"):
            if name == "hub (Python)":
                self.python_module("xxhash", "python3-xxhash")
            return output(self.options.hub, "--version").split()[-1]
        if name.startswith("dbus"):
            need(f"{FOLDER}/dbus", "libsystemd-dev")
            return output(need(name, name), "--version").splitlines()[0].split()[-1]
        if name == "ZeroMQ":
            need(f"{FOLDER}/zeromq", "libzmq3-dev")
            return output("pkg-config", "--modversion", "libzmq")
        if name == "mosquitto":
            return output(need("mosquitto", "mosquitto"), "-h").splitlines()[0].split()[-1]
        if name == "etcd":
            return output(need("etcd", "etcd-server"), "--version").splitlines()[0].split()[-1]
        module, package = {"Zenoh": ("zenoh", "eclipse-zenoh"), "iceoryx2": ("iceoryx2", "iceoryx2")}[name]
        return self.python_module(module, package)

    def python_module(self, module, package):
        found = subprocess.run(
            [self.options.python, "-c", f"import {module}, importlib.metadata as m; print(m.version('{package.removeprefix('python3-')}'))"],
            capture_output=True, text=True, check=False)
        if found.returncode:
            raise Missing(f"{self.options.python} has no package {package}; see --python")
        return found.stdout.strip()

    def dbus(self, name, stack):
        path = self.place()
        if name == "dbus-broker":
            bus = Server([f"{FOLDER}/dbus_broker", path], path)
        else:
            with open(f"{path}.conf", "w", encoding="utf-8") as file:
                file.write(
                    f"<busconfig><type>session</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>"
                    '<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>'
                    "</policy></busconfig>")
            bus = Server(["dbus-daemon", f"--config-file={path}.conf", "--nofork", "--nopidfile", "--nosyslog"], path)
        stack.enter_context(bus)
        # It listens nowhere; the writer's first call needs its name.
        service = stack.enter_context(Server([f"{FOLDER}/dbus", "serve", f"unix:path={path}"], path))
        return [bus, service], [f"{FOLDER}/dbus", f"unix:path={path}"]

    def start(self, name, stack):
        path, port = self.place(), free_port()
        if name.startswith("dbus"):
            return self.dbus(name, stack)
        if name == "ZeroMQ":
            return [stack.enter_context(Server([f"{FOLDER}/zeromq", "serve", path], path))], [f"{FOLDER}/zeromq", path]
        if name == "mosquitto":
            with open(f"{path}.conf", "w", encoding="utf-8") as file:
                file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
            server = Server(["mosquitto", "-c", f"{path}.conf"], port=port)
            return [stack.enter_context(server)], [f"{FOLDER}/mqtt", str(port)]
        if name == "etcd":
            client, peer = (f"http://127.0.0.1:{each}" for each in (port, free_port()))
            server = Server(
                ["etcd", "--data-dir", path, "--listen-client-urls", client, "--advertise-client-urls", client,
                 "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
                 "--logger", "zap", "--log-level", "error"], port=port)
            return [stack.enter_context(server)], [f"{FOLDER}/etcd", str(port)]
        if name == "hub (Python)":
            server, _ = self.hubs.start("hub")
            return [stack.enter_context(server)], [self.options.python, f"{FOLDER}/storehub_peer.py", server.socket]
        peer = [self.options.python, f"{FOLDER}/{name.lower()}_peer.py"]
        return [stack.enter_context(Server([*peer, "serve", path], path))], [*peer, path]

    def run(self, name, subscribers):
        """One round of a rival: its figures by name."""
        with contextlib.ExitStack() as stack:
            if name in ("hub", "hub sync"):
                server, protocol = self.hubs.start(name)
                row = load(stack.enter_context(server), protocol, (1, 1, subscribers), self.options.seconds)
                return row | {"complete": subscribers}
            servers, client = self.start(name, stack)
            pids = ",".join(str(server.process.pid) for server in servers)
            found = subprocess.run(
                on_core(1, [*client, str(subscribers), str(self.options.seconds), pids]),
                capture_output=True, text=True, timeout=120, check=False)
            if found.returncode:
                raise SystemExit(f"{name} with {subscribers} subscribers: {found.stderr.strip()}")
            return json.loads(found.stdout.splitlines()[-1])


def print_rows(subscribers, results):
    for name, rows in results.items():
        rates, beside = [row["rate"] for row in rows], "hub (Python)" if name in ("Zenoh", "iceoryx2") else "hub"
        beside = "hub sync" if name == "etcd" else beside
        ratio = ""
        if not name.startswith("hub") and beside in results:
            found = sorted(ratios(results[beside], rows))
            ratio = f"{median([{'x': value} for value in found], 'x'):.2f} ({found[0]:.2f} – {found[-1]:.2f})"
        complete = min(row["complete"] for row in rows)
        print(f"| {subscribers} | {name} | {median(rows, 'rate') / 1e3:,.2f} k ({min(rates) / 1e3:,.2f} – "
              f"{max(rates) / 1e3:,.2f}) | {median(rows, 'p50'):,.0f} | {median(rows, 'p99'):,.0f} | "
              f"{median(rows, 'pp50'):,.0f} / {median(rows, 'pp99'):,.0f} | {median(rows, 'cpu') / 1e3:,.1f} | "
              f"{complete} | {ratio} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="the storehubd to measure")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has Zenoh and iceoryx2")
    parser.add_argument("--subscribers", type=int, nargs="+", default=[1, 16, 100])
    parser.add_argument("--only", help="only these, with commas, such as 'hub,etcd'")
    options = parser.parse_args()
    raise_descriptor_limit()
    with TemporaryDirectory() as directory:
        bench, versions = Bench(options, directory), {}
        for name in options.only.split(",") if options.only else RIVALS:
            try:
                versions[name] = bench.version(name)
            except Missing as missing:
                print(f"{name} is left out: {missing}")
        print(f"Load average at the start: {os.getloadavg()[0]:.1f}; {options.runs} rounds of {options.seconds} s.\n")
        print("| N | rival | actions/s, median (min – max) | ack p50 µs | p99 µs | freshness p50 / p99 µs | server CPU "
              "µs/action | complete | hub ÷ this, median (min – max) |")
        print("|--:|---|--:|--:|--:|--:|--:|--:|--:|")
        for subscribers in options.subscribers:
            results = {name: [] for name in versions}
            for run in range(options.runs):
                for name in list(versions) if run % 2 == 0 else reversed(versions):
                    results[name].append(bench.run(name, subscribers))
            print_rows(subscribers, results)
    print(f"\n| rival | version | {' | '.join(PROMISES)} |\n|---|---|{'---|' * len(PROMISES)}")
    for name, version in versions.items():
        print(f"| {name} | {version} | {' | '.join(RIVALS[name])} |")


if __name__ == "__main__":
    main()
