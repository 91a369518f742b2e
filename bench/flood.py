#!/usr/bin/env python3
"""The latency of one client's actions, alone and while another client floods the hub with frames of a megabyte.

Prints a table in Markdown. The flood is a process of its own that sends counter actions as fast as the hub reads them.
"""
import argparse
import os
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

INCREMENT = bytes([0x82, 0, 1])


def head(value):
    """An unsigned integer in CBOR."""
    if value < 24:
        return bytes([value])
    for info, size in ((24, 1), (25, 2), (26, 4)):
        if value < 1 << (8 * size):
            return bytes([info]) + value.to_bytes(size, "big")
    return bytes([27]) + value.to_bytes(8, "big")


def frame(kind, payload):
    return struct.pack("<IBBHQ", len(payload), kind, 0, 0, 0) + payload


def read(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise SystemExit("the hub closed the connection")
        data += part
    return data


def receive(connection, wanted):
    while True:
        length, kind, _, _, _ = struct.unpack("<IBBHQ", read(connection, 16))
        payload = read(connection, length)
        if kind == wanted:
            return payload
        if kind == 0x86:
            raise SystemExit(f"the hub sent an error: {payload!r}")


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.sendall(frame(1, bytes([0xA2, 0, 1, 1, 1])))
    receive(connection, 0x81)
    return connection


def flood(path):
    connection = connect(path)
    count, first = 349_000, 1
    while True:
        connection.sendall(frame(3, head(first) + head(first - 1) + INCREMENT * count))
        first += count
        # The outcome of the last one, which a well-behaved client waits for too.
        while receive(connection, 0x84) != head(first - 1):
            pass


def latencies(path, seconds):
    connection = connect(path)
    times, sequence, end = [], 0, time.monotonic() + seconds
    while time.monotonic() < end:
        sequence += 1
        start = time.perf_counter()
        connection.sendall(frame(3, head(sequence) + head(sequence - 1) + INCREMENT))
        receive(connection, 0x84)
        times.append((time.perf_counter() - start) * 1e3)
    connection.close()
    return times


def main():
    if sys.argv[1:2] == ["--flood"]:
        return flood(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="the storehubd to measure")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--floods", type=int, default=10, help="how many clients flood in the last row")
    options = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="storehub-bench-")
    path = f"{directory}/hub.sock"
    hub = subprocess.Popen([options.hub, "--socket", path, "--log-level", "error"])
    while not os.path.exists(path):
        time.sleep(0.01)
    print("| frames of a megabyte from | actions | p50 ms | p99 ms | max ms |\n|---|--:|--:|--:|--:|")
    floods = []
    try:
        for count in (0, 1, options.floods):
            while len(floods) < count:
                floods.append(subprocess.Popen([sys.executable, __file__, "--flood", path]))
            time.sleep(0.5)
            times = sorted(latencies(path, options.seconds))
            ended = sum(process.poll() is not None for process in floods)
            if ended:
                raise SystemExit(f"{ended} of {count} flooding clients ended, so the latencies prove nothing")
            p99 = times[int(len(times) * 0.99)]
            print(f"| {count} clients | {len(times):,} | {statistics.median(times):.2f} | {p99:.2f} | {times[-1]:.2f} |",
                  flush=True)
    finally:
        for process in [*floods, hub]:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
