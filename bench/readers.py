#!/usr/bin/env python3
"""A large change for many clients of one user that read: how much memory the hub takes, and whether it closes any.

`--hub` may be given several times, to compare programs. One client replaces the text of a todo by one of 1 MB, `CHANGES`
times; the others subscribe to the whole state, in one scope or in 64 each, and read as fast as one process can.
"""
import argparse
import os
import select
import socket
import sys
import time

from servers import Server, TemporaryDirectory

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "clients", "python", "src"))
from storehub import blocking  # noqa: E402
from storehub import _messages as wire  # noqa: E402

CASES = [(20, 1), (150, 1), (20, 64)]
CHANGES = 3
TEXT_BYTES = 1_000_000
# The seconds within which all clients must have a change.
LIMIT = 20


def read(readers, received, seconds, is_done):
    """Reads from all clients until `is_done`; returns false if the time is over before."""
    poll = select.poll()
    for descriptor in readers:
        poll.register(descriptor, select.POLLIN)
    end = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > end:
            return False
        for descriptor, _ in poll.poll(50):
            try:
                data = os.read(descriptor, 1 << 18)
            except OSError:
                data = b""
            received[descriptor] += len(data)
            if not data:
                poll.unregister(descriptor)
                readers.discard(descriptor)
    return True


def measure(hub, count, scopes, path):
    with Server([hub, "--socket", path, "--log-level", "error"], path, core=None) as server:
        writer = blocking.connect(path).__enter__()
        send = writer.send
        send({"todos": {"addButtonTapped": "short"}})
        clients = [socket.socket(socket.AF_UNIX) for _ in range(count)]
        for client in clients:
            client.connect(path)
            client.sendall(wire.frame(wire.HELLO, wire.hello("reader", None, 0, None)))
            for scope in range(1, scopes + 1):
                client.sendall(wire.frame(wire.ATTACH, wire.attach([], None, 0), scope=scope))
        readers = {client.fileno() for client in clients}
        received = dict.fromkeys(readers, 0)
        read(readers, received, 1, lambda: False)
        times, is_late = [], False
        for letter in "abc"[:CHANGES]:
            received = dict.fromkeys(received, 0)
            start = time.monotonic()
            send({"todos": {"todos": {"element": {"id": 0, "action": {"textChanged": letter * TEXT_BYTES}}}}})
            is_complete = read(
                readers, received, LIMIT, lambda: all(received[one] >= TEXT_BYTES * scopes for one in readers))
            is_late = is_late or not is_complete
            times.append(time.monotonic() - start)
        with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        longest = f"not all within {LIMIT * 1000:,}" if is_late else f"{max(times) * 1000:.0f}"
        return peak / 1000, count - len(readers), longest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", action="append", required=True, help="a storehubd; may be repeated")
    options = parser.parse_args()
    print("| clients | scopes of each | hub | peak memory MB | clients closed | longest time until all have a change, ms |")
    print("|--:|--:|---|--:|--:|--:|")
    with TemporaryDirectory() as directory:
        for count, scopes in CASES:
            for hub in options.hub:
                peak, closed, longest = measure(hub, count, scopes, f"{directory}/hub.sock")
                print(f"| {count} | {scopes} | {os.path.basename(hub)} | {peak:.0f} | {closed} | {longest} |", flush=True)


if __name__ == "__main__":
    main()
