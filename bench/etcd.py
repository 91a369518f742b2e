#!/usr/bin/env python3
"""Appends to a log in etcd, with the client in Swift and with one in C, in turn, in the same members of etcd.

The members are of this machine, in a temporary directory, and end with the script.
"""
import argparse
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start(directory, count):
    ports = free_ports(2 * count)
    clients, peers = ports[:count], ports[count:]
    cluster = ",".join(f"e{index}=http://127.0.0.1:{port}" for index, port in enumerate(peers))
    processes = []
    for index in range(count):
        client, peer = (f"http://127.0.0.1:{port}" for port in (clients[index], peers[index]))
        processes.append(subprocess.Popen(
            ["etcd", "--name", f"e{index}", "--data-dir", f"{directory}/e{index}", "--listen-client-urls", client,
             "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", cluster, "--initial-cluster-state", "new", "--logger", "zap", "--log-level", "error"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return processes, clients


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{command[0]}: {result.stderr.strip() or result.returncode}")
    return float(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, help="the folder of etcdappend")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    if not shutil.which("etcd"):
        sys.exit("bench/etcd.py: etcd is not installed (Debian package etcd-server)")
    limit = Path(__file__).parent / "limit" / "etcd_append"
    print("| members | bytes in a transaction | in C, transactions/s | in Swift | ratio |")
    print("|---|---|---|---|---|")
    for count in (1, 3):
        with tempfile.TemporaryDirectory() as directory:
            processes, ports = start(directory, count)
            try:
                deadline = time.monotonic() + 20
                while True:
                    try:
                        run([limit, str(ports[0]), "0.1", "16", "ready/"])
                        break
                    except RuntimeError:
                        if time.monotonic() > deadline:
                            raise
                        time.sleep(0.2)
                for size in (256, 16 * 256):
                    rates = {"c": [], "swift": []}
                    for number in range(options.runs):
                        arguments = [str(options.seconds), str(size)]
                        programs = [
                            ("c", [limit, str(ports[0]), *arguments, f"c{size}-{number}/"]),
                            ("swift", [f"{options.programs}/etcdappend", f"http://127.0.0.1:{ports[0]}", *arguments,
                                       f"s{size}-{number}/"])]
                        # The store grows from run to run, so none is always the first.
                        for name, command in programs if number % 2 == 0 else reversed(programs):
                            rates[name].append(run(command))
                    c, swift = (statistics.median(rates[name]) for name in ("c", "swift"))
                    print(f"| {count} | {size} | {c:.0f} | {swift:.0f} | {swift / c:.2f} |", flush=True)
            finally:
                for process in processes:
                    process.kill()
                for process in processes:
                    process.wait()


if __name__ == "__main__":
    main()
