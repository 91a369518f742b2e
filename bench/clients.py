#!/usr/bin/env python3
"""The clients in other languages beside the same actions on a raw socket, and beside the C load program.

One client sends an action of a few bytes, the counter's increment, with 1 or 64 in flight, to a hub without a journal. "raw" is
Python that writes frames which are ready and reads nothing of the answers but their kinds. With redis-server and redis-py, INCR is
measured too. Prints the median of the runs, and each figure as a part of the raw one.
"""
import argparse
import asyncio
import os
import shutil
import socket
import statistics
import struct
import sys
import time

from servers import LIMIT, Rivals, Server, TemporaryDirectory, load

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "clients", "python", "src"))
import storehub  # noqa: E402
from storehub import _messages as wire  # noqa: E402
from storehub import blocking  # noqa: E402

INCREMENT = {"counter": "incrementButtonTapped"}
DEPTHS = (1, 64)


def finish(times, start):
    """Actions per second, and the median latency in µs."""
    return len(times) / (time.perf_counter() - start), statistics.median(times) * 1e6


def raw(path, depth, seconds):
    """Frames of one action each, written and read without a client."""
    action = b"\x82\x00\x01"
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(path)
        stream.sendall(wire.frame(wire.HELLO, wire.hello("raw", None, 0, None)))
        stream.sendall(wire.frame(wire.ATTACH, wire.attach([], None, 0), scope=1))
        buffer, sent, applied, begun, times = b"", 0, 0, {}, []
        start = time.perf_counter()
        while time.perf_counter() - start < seconds or applied < sent:
            frames = b""
            while sent - applied < depth and time.perf_counter() - start < seconds:
                sent += 1
                frames += wire.frame(wire.ACTIONS, wire.actions(sent, applied, [action]))
                begun[sent] = time.perf_counter()
            if frames:
                stream.sendall(frames)
            buffer += stream.recv(1 << 16)
            while len(buffer) >= 16:
                length, kind = struct.unpack_from("<IB", buffer)
                if len(buffer) < 16 + length:
                    break
                if kind == wire.APPLIED:
                    now, last = time.perf_counter(), applied
                    applied = wire.read_number(buffer[16 : 16 + length])
                    times += [now - begun.pop(number) for number in range(last + 1, applied + 1)]
                buffer = buffer[16 + length :]
        return finish(times, start)


def with_blocking(path, depth, seconds):
    """The blocking client, which also keeps the counter up to date."""
    with blocking.connect(path) as hub:
        counter = hub.attach("counter")
        before, waiting, times, start = counter.value["count"], [], [], time.perf_counter()
        while time.perf_counter() - start < seconds or waiting:
            while len(waiting) < depth and time.perf_counter() - start < seconds:
                waiting.append((time.perf_counter(), hub.begin(INCREMENT)))
            if waiting:
                begun, sent = waiting.pop(0)
                sent.wait(10)
                times.append(time.perf_counter() - begun)
        figures = finish(times, start)
        if counter.value["count"] != before + len(times):
            raise SystemExit("the counter does not add up")
        return figures


def with_asyncio(path, depth, seconds):
    """The asyncio client, with as many tasks as actions in flight."""

    async def run():
        async with storehub.connect(path) as hub:
            counter = await hub.attach("counter")
            before, times, start = counter.value["count"], [], time.perf_counter()

            async def send():
                while time.perf_counter() - start < seconds:
                    begun = time.perf_counter()
                    await hub.send(INCREMENT)
                    times.append(time.perf_counter() - begun)

            await asyncio.gather(*(send() for _ in range(depth)))
            figures = finish(times, start)
            if counter.value["count"] != before + len(times):
                raise SystemExit("the counter does not add up")
            return figures

    return asyncio.run(run())


def with_redis(path, depth, seconds):
    """redis-py, with a pipeline of INCRs."""
    import redis

    client = redis.Redis(unix_socket_path=path)
    times, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds:
        begun = time.perf_counter()
        pipeline = client.pipeline(transaction=False)
        for _ in range(depth):
            pipeline.incr("x")
        pipeline.execute()
        times += [time.perf_counter() - begun] * depth
    return finish(times, start)


def c_load(server, depth, seconds):
    """The C load program."""
    row = load(server, "storehub", (1, depth, 0), seconds)
    return row["rate"], row["p50"]


def snapshot(path, count):
    """The time to attach a list of `count` todos, in ms."""
    with blocking.connect(path) as hub:
        sent = [hub.begin({"todos": {"addButtonTapped": f"todo number {number}"}}) for number in range(count)]
        for one in sent:
            one.wait(60)
    with blocking.connect(path) as hub:
        begun = time.perf_counter()
        value = hub.attach("todos.todos").value
        taken = time.perf_counter() - begun
        if len(value) != count:
            raise SystemExit("the list does not add up")
        return taken * 1e3


def has_redis():
    """True if redis-server and redis-py are installed."""
    try:
        import redis  # noqa: F401
    except ImportError:
        return False
    return shutil.which("redis-server") is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="a storehubd, built for release")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    clients = {"raw": raw, "blocking": with_blocking, "asyncio": with_asyncio}
    results = {}
    with TemporaryDirectory() as directory:
        path = f"{directory}/hub.sock"
        with Server([options.hub, "--socket", path, "--log-level", "error"], path) as server:
            os.sched_setaffinity(0, {1 % os.cpu_count()})
            for _ in range(options.runs):
                for depth in DEPTHS:
                    for name, run in clients.items():
                        results.setdefault((name, depth), []).append(run(path, depth, options.seconds))
                    if os.path.exists(f"{LIMIT}/load"):
                        results.setdefault(("C load", depth), []).append(c_load(server, depth, max(1, int(options.seconds))))
            milliseconds = snapshot(path, 100_000)
        if has_redis():
            server, _ = Rivals.redis("Redis", f"{directory}/redis", f"{directory}/redis.sock", 0)
            with server:
                for _ in range(options.runs):
                    for depth in DEPTHS:
                        results.setdefault(("redis-py", depth), []).append(
                            with_redis(f"{directory}/redis.sock", depth, options.seconds))
    print("| client | in flight | actions per second | of the raw socket | median latency, µs |")
    print("|---|--:|--:|--:|--:|")
    for (name, depth), rows in sorted(results.items(), key=lambda item: item[0][1]):
        rate, latency = statistics.median(row[0] for row in rows), statistics.median(row[1] for row in rows)
        ratio = statistics.median(row[0] / other[0] for row, other in zip(rows, results["raw", depth]))
        print(f"| {name} | {depth} | {rate:,.0f} | {ratio:.2f} | {latency:.0f} |")
    print(f"A list of 100,000 todos is attached within {milliseconds:.0f} ms.")


if __name__ == "__main__":
    main()
