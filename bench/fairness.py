#!/usr/bin/env python3
"""The latency of one client's actions, alone and while others attack the hub; and what the attacks leave behind.

Prints a table in Markdown. Each attack is a process of its own, of another user when this script runs as root. The latency
is that of a client that sends one counter action at a time: the time until its acknowledgement. Each measurement is made
in rounds (--rounds): quiet, under the attack, and beside the attack, when the same processes attack another hub on the same
machine. A value is the median of the rounds. The ratio of p99 to its quiet value decides (--goal, 2): `ok` or `MISSED`.
While the hub stalls, this client sends nothing, so a stall is a single slow answer. Therefore the goal is also missed if a
client that came at any moment of all rounds would have had to wait longer than the goal in more than 1 % of the cases
(`stalled`).
`beside` tells how much of it is not the hub's doing: on a machine with few processors the attackers take the client's
time, too. With --pin the hubs and the client run on the first processor and the attackers on the others, so that they do
not compete with the client for a processor. The exit status is 1 if a goal was missed.

    make bench-fairness
"""
import argparse
import contextlib
import os
import socket
import struct
import subprocess
import sys
import time

from servers import Server, TemporaryDirectory, raise_descriptor_limit

INCREMENT = bytes([0x82, 0, 1])
OTHER_USER = 65534


def head(value, major=0):
    """An unsigned integer, or the head of an item, in CBOR."""
    if value < 24:
        return bytes([major << 5 | value])
    for info, size in ((24, 1), (25, 2), (26, 4)):
        if value < 1 << (8 * size):
            return bytes([major << 5 | info]) + value.to_bytes(size, "big")
    return bytes([major << 5 | 27]) + value.to_bytes(8, "big")


def frame(kind, payload, scope=0):
    return struct.pack("<IBBHQ", len(payload), kind, 0, scope, 0) + payload


def actions(first, *encoded):
    return frame(3, head(first) + head(first - 1) + b"".join(encoded))


HELLO = frame(1, bytes([0xA2, 0, 1, 1, 1]))


class Closed(Exception):
    """The hub has closed the connection."""


def read(connection, count):
    data = bytearray()
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise Closed()
        data += part
    return bytes(data)


def receive(connection, wanted):
    while True:
        length, kind, flags, _, _ = struct.unpack("<IBBHQ", read(connection, 16))
        payload = read(connection, length)
        if kind == wanted:
            return payload, flags
        if kind == 0x86:
            raise Closed(payload)


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.sendall(HELLO)
    receive(connection, 0x81)
    return connection


# The attacks: each runs until it is killed.


def flood(path, count):
    """Sends frames of so many actions, each when the one before it was acknowledged."""
    connection, first = connect(path), 1
    while True:
        connection.sendall(actions(first, INCREMENT * count))
        first += count
        while receive(connection, 0x84)[0] != head(first - 1):
            pass


def pipeline(path, depth):
    """Keeps so many actions on the way, in frames of 64."""
    connection, first, acknowledged = connect(path), 1, 0
    while True:
        while first - 1 - acknowledged + 64 <= depth:
            connection.sendall(frame(3, head(first) + head(acknowledged) + INCREMENT * 64))
            first += 64
        payload, _ = receive(connection, 0x84)
        acknowledged = int.from_bytes(payload[1:], "big") if payload[0] >= 24 else payload[0]


def snapshots(path, _):
    """Attaches the whole state, reads it, and detaches."""
    connection = connect(path)
    while True:
        connection.sendall(frame(2, bytes([0xA1, 0, 0x80]), scope=1))
        while not receive(connection, 0x82)[1] & 1:
            pass
        connection.sendall(frame(6, b"", scope=1))
        receive(connection, 0x8A)


def visit(path, _):
    """Connects, says hello, and closes."""
    while True:
        try:
            connect(path).close()
        except (Closed, OSError):
            pass


def knock(path, _):
    """Connects and closes."""
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
        except OSError:
            pass
        connection.close()


ATTACKS = {"flood": flood, "pipeline": pipeline, "snapshots": snapshots, "visit": visit, "knock": knock}


def latencies(path, seconds):
    connection = connect(path)
    times, sequence, end = [], 0, time.monotonic() + seconds
    while time.monotonic() < end:
        sequence += 1
        message = actions(sequence, INCREMENT)
        start = time.perf_counter()
        connection.sendall(message)
        receive(connection, 0x84)
        times.append((time.perf_counter() - start) * 1e3)
    connection.sendall(frame(5, b""))
    connection.close()
    return sorted(times)


def at(times, share):
    return times[min(int(len(times) * share), len(times) - 1)]


def stalled(rounds, limit):
    """The fraction of the time of all rounds at which a new action would have waited longer than the limit."""
    times = [time for times in rounds for time in times]
    return sum(max(time - limit, 0) for time in times) / sum(times)


def memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


class Hub(Server):
    # The processors of the attackers; None for all.
    attackers_processors = None

    def fill(self, megabytes):
        """Adds todos until the state has about so many megabytes."""
        connection, first, text = connect(self.socket), 1, b"x" * 1000
        todo = bytes([0x82, 1, 0x82, 0]) + head(len(text), 3) + text
        for _ in range(megabytes):
            connection.sendall(actions(first, todo * 1000))
            first += 1000
            while receive(connection, 0x84)[0] != head(first - 1):
                pass
        connection.close()

    def attack(self, name, argument):
        process = subprocess.Popen(
            [sys.executable, __file__, "--attack", name, self.socket, str(argument)], stderr=subprocess.DEVNULL)
        if self.attackers_processors:
            os.sched_setaffinity(process.pid, self.attackers_processors)
        return process


@contextlib.contextmanager
def started(program):
    """A hub that every user may use, in a directory of its own."""
    with TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        path, configuration = f"{directory}/hub.sock", f"{directory}/hub.conf"
        with open(configuration, "w") as file:
            file.write("[everyone]\nread = all\nact = all\n[limits]\nconnections = 20000\nconnections-per-user = 15000\n")
        argv = [program, "--socket", path, "--mode", "666", "--config", configuration, "--log-level", "error"]
        with Hub(argv, path, core=None) as hub:
            yield hub


def under_attack(hub, target, seconds, name, argument, count):
    """The latencies of a hub while so many processes attack a target."""
    attackers = [target.attack(name, argument) for _ in range(count)]
    time.sleep(1)
    try:
        times = latencies(hub.socket, seconds)
        ended = sum(process.poll() is not None for process in attackers)
    finally:
        for process in attackers:
            process.kill()
            process.wait()
    time.sleep(1.5)
    return times, ended


def middle(values):
    values = sorted(values)
    return values[len(values) // 2]


def measure(hub, other, options, rows, failures):
    """Prints a row for each attack; adds the titles of those that miss the goal."""
    print("\n| attack | quiet p50 ms | p50 ms | × | quiet p99 ms | p99 ms | × | beside p99 ms | × | stalled "
          "| goal | max ms |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|", flush=True)
    for title, name, argument, count in rows:
        quiet, under, beside, longest, dead = [], [], [], 0, 0
        for _ in range(options.rounds):
            quiet.append(latencies(hub.socket, options.seconds))
            times, ended = under_attack(hub, hub, options.seconds, name, argument, count)
            under.append(times)
            beside.append(under_attack(hub, other, options.seconds, name, argument, count)[0])
            longest, dead = max(longest, times[-1]), dead + ended
        quiet50, quiet99 = (middle([at(times, share) for times in quiet]) for share in (0.5, 0.99))
        under50, under99 = (middle([at(times, share) for times in under]) for share in (0.5, 0.99))
        beside99 = middle([at(times, 0.99) for times in beside])
        ratio = under99 / quiet99
        waits = stalled(under, options.goal * quiet99)
        verdict = "ok" if ratio < options.goal and waits < 0.01 else "MISSED"
        if dead > 0:
            # What does not attack proves nothing.
            verdict = f"{dead} attackers ended"
        if verdict != "ok":
            failures.append(title)
        print(f"| {title} | {quiet50:.3f} | {under50:.3f} | {under50 / quiet50:.1f} | {quiet99:.3f} | {under99:.3f} "
              f"| {ratio:.1f} | {beside99:.3f} | {beside99 / quiet99:.1f} | {waits * 100:.1f} % | {verdict} | {longest:.1f} |", flush=True)


def admission(hub, rows):
    """How long 18 clients need to be let in while others connect in loops."""
    print("\n| attack | let in of 18 | longest ms |\n|---|--:|--:|")
    for title, name, count in rows:
        attackers = [hub.attack(name, 0) for _ in range(count)]
        time.sleep(0.5)
        times = []
        for _ in range(18):
            start = time.perf_counter()
            try:
                connect(hub.socket).close()
                times.append((time.perf_counter() - start) * 1e3)
            except (Closed, OSError):
                pass
        for process in attackers:
            process.kill()
            process.wait()
        print(f"| {title} | {len(times)} | {max(times, default=0):.1f} |", flush=True)


def half_frames(hub, count):
    """What the hub holds of so many frames of 1 MiB of which half has come, and after they have timed out."""
    quiet = memory(hub.process)
    connections, largest = [], quiet
    for _ in range(count):
        try:
            connection = connect(hub.socket)
            connection.settimeout(0.5)
            connections.append(connection)
            connection.sendall(struct.pack("<IBBHQ", 1 << 20, 3, 0, 0, 0) + bytes(1 << 19))
        except (Closed, OSError):
            pass
        if len(connections) % 20 == 0:
            largest = max(largest, memory(hub.process))
    largest = max(largest, memory(hub.process))
    time.sleep(13)
    after = memory(hub.process)
    print(f"\n{count} frames of 1 MiB, half sent: the hub had {quiet:.0f} MiB before, at most {largest:.0f} MiB meanwhile, "
          f"{after:.0f} MiB after they had timed out")


def crowd(hub, count):
    """What so many idle connections take, and the latency beside them."""
    quiet = memory(hub.process)
    connections = []
    for _ in range(count):
        connections.append(connect(hub.socket))
    taken = memory(hub.process)
    times = latencies(hub.socket, 2)
    print(f"\n{count} idle connections: {(taken - quiet) * 1024 / count:.1f} KiB each; p50 {at(times, 0.5):.3f} ms, "
          f"p99 {at(times, 0.99):.3f} ms beside them")


def main():
    if sys.argv[1:2] == ["--attack"]:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(OTHER_USER)
            os.setuid(OTHER_USER)
        return ATTACKS[sys.argv[2]](sys.argv[3], int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="the storehubd to measure")
    parser.add_argument("--seconds", type=float, default=3, help="how long each latency is measured")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured")
    parser.add_argument("--goal", type=float, default=2, help="the ratio of the p99 to the quiet one that is allowed")
    parser.add_argument("--only", choices=["latency", "snapshots", "admission", "half", "crowd"])
    parser.add_argument("--pin", action="store_true", help="keep the attackers off the processor of hub and client")
    options = parser.parse_args()
    if options.pin:
        first, *others = sorted(os.sched_getaffinity(0))
        if not others:
            parser.error("--pin needs two processors")
        Hub.attackers_processors = others
        os.sched_setaffinity(0, [first])
    raise_descriptor_limit()

    def part(name):
        return options.only in (None, name)

    failures = []
    print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} at the start; attackers are "
          f"{'another user' if os.getuid() == 0 else 'the same user, since this does not run as root'}")
    if os.getloadavg()[0] > 0.5:
        print("warning: the machine has other work, so the latencies prove nothing")
    with started(options.hub) as hub, started(options.hub) as other:
        if part("latency"):
            measure(hub, other, options, [
                ("1 client, 4,096 actions on the way", "pipeline", 4096, 1),
                ("4 clients, 4,096 actions on the way each", "pipeline", 4096, 4),
                ("1 client, frames of 1 MiB", "flood", 349_000, 1),
                ("10 clients, frames of 1 MiB", "flood", 349_000, 10),
                ("1 client that connects, says hello, closes", "visit", 0, 1),
                ("2 clients that connect, say hello, close", "visit", 0, 2),
                ("4 clients that connect and close", "knock", 0, 4),
            ], failures)
        if part("snapshots"):
            hub.fill(30)
            other.fill(30)
            measure(hub, other, options, [
                ("1 client that attaches and detaches 30 MB", "snapshots", 0, 1),
                ("4 clients that attach and detach 30 MB", "snapshots", 0, 4),
            ], failures)
        if part("admission"):
            admission(hub, [("1 process connects and says hello in a loop", "visit", 1), ("2 processes", "visit", 2),
                            ("4 processes connect in a loop", "knock", 4)])
    for name, check, count in (("half", half_frames, 4000), ("crowd", crowd, 10_000)):
        if part(name):
            with started(options.hub) as hub:
                check(hub, count)
    if failures:
        print(f"\nnot shown: a p99 below {options.goal} times the quiet one under: {'; '.join(failures)}")
        sys.exit(1)


if __name__ == "__main__":
    main()
