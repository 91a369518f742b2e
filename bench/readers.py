#!/usr/bin/env python3
"""A large change for many clients of one user that read: how much memory the hub takes, and whether it closes any.

`--hub` may be given several times, to compare programs. One client replaces the text of a todo by one of 1 MB, `CHANGES`
times; the others subscribe to the whole state, in one scope or in 64 each, and read as fast as one process can.
"""
import argparse
import os
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Tests", "Fixtures", "pyclient"))
import storehub  # noqa: E402

CASES = [(20, 1), (150, 1), (20, 64)]
CHANGES = 3
TEXT_BYTES = 1_000_000


def read(readers, received, seconds, is_done):
    """Reads from all clients until `is_done` or the time is over."""
    poll = select.poll()
    for descriptor in readers:
        poll.register(descriptor, select.POLLIN)
    end = time.monotonic() + seconds
    while time.monotonic() < end and not is_done():
        for descriptor, _ in poll.poll(50):
            try:
                data = os.read(descriptor, 1 << 18)
            except OSError:
                data = b""
            received[descriptor] += len(data)
            if not data:
                poll.unregister(descriptor)
                readers.discard(descriptor)


def measure(hub, count, scopes, path):
    server = subprocess.Popen([hub, "--socket", path, "--log-level", "error"], stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(path):
            time.sleep(0.02)
        writer = storehub.Client(path)
        schema = writer.describe(0)

        def send(action):
            writer.send(schema.make(schema.action, action))

        send({"todos": {"addButtonTapped": "short"}})
        clients = [storehub.Client(path) for _ in range(count)]
        for client in clients:
            for scope in range(1, scopes + 1):
                client.write(storehub.ATTACH, storehub.encode(storehub.Map([(0, [])])), scope=scope)
        readers = {client.socket.fileno() for client in clients}
        received = dict.fromkeys(readers, 0)
        read(readers, received, 1, lambda: False)
        times = []
        for letter in "abc"[:CHANGES]:
            received = dict.fromkeys(received, 0)
            start = time.monotonic()
            send({"todos": {"todos": {"element": {"id": 0, "action": {"textChanged": letter * TEXT_BYTES}}}}})
            read(readers, received, 20, lambda: all(received[one] >= TEXT_BYTES * scopes for one in readers))
            times.append(time.monotonic() - start)
        with open(f"/proc/{server.pid}/status", encoding="utf-8") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        return peak / 1000, count - len(readers), max(times) * 1000
    finally:
        server.terminate()
        server.wait(20)
        if os.path.exists(path):
            os.unlink(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", action="append", required=True, help="a storehubd; may be repeated")
    options = parser.parse_args()
    print("| clients | scopes of each | hub | peak memory MB | clients closed | longest time until all have a change, ms |")
    print("|--:|--:|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as directory:
        for count, scopes in CASES:
            for hub in options.hub:
                peak, closed, time_taken = measure(hub, count, scopes, f"{directory}/hub.sock")
                print(f"| {count} | {scopes} | {os.path.basename(hub)} | {peak:.0f} | {closed} | {time_taken:.0f} |", flush=True)


if __name__ == "__main__":
    main()
