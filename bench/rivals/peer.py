"""One writer and N subscribers of a rival with a client in Python: what rival.h is for those in C.

    PEER serve ADDRESS
    PEER ADDRESS SUBSCRIBERS SECONDS PID[,PID...]
"""
import json
import mmap
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from servers import processor_time  # noqa: E402

RING = 1 << 20


class Subscribers:
    """The latest value of each subscriber, and how fresh the values were; in memory that both processes share."""

    def __init__(self, count):
        self.count, self.times = count, []
        memory = memoryview(mmap.mmap(-1, 8 * (RING + count + 4))).cast("Q")
        self.sent, self.latest, self.flags = memory[:RING], memory[RING:RING + count], memory[RING + count:]

    # flags: ready, the beginning and the end of the measured time, stop.

    @property
    def is_stopped(self):
        return self.flags[3] == 1

    def subscribed(self):
        self.flags[0] = 1

    def received(self, index, value):
        """Notes a message: freshness is the time from the action to the first message with its value or a later one."""
        now, seen = time.monotonic_ns(), self.latest[index]
        if value <= seen:
            return
        self.latest[index] = value
        start, end = self.flags[1], self.flags[2]
        if self.count > 16 and index % (self.count // 16) or not start:
            return
        for each in range(seen + 1, value + 1):
            sent = self.sent[each % RING]
            if sent >= start and (not end or sent < end):
                self.times.append(now - sent)

    def figures(self):
        times = sorted(self.times) or [0]
        return {"pp50": times[len(times) // 2] / 1e3, "pp99": times[len(times) * 99 // 100] / 1e3}


def measure(peer, address, count, seconds, pids):
    subscribers = Subscribers(count)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        peer.subscribe(address, subscribers)
        os.write(writing, json.dumps(subscribers.figures()).encode())
        os._exit(0)
    while not subscribers.flags[0]:
        if os.waitpid(child, os.WNOHANG)[0]:
            raise SystemExit("the subscribers did not begin")
        time.sleep(0.001)
    act = peer.writer(address)
    value, end, times, begin = 0, None, [], time.monotonic_ns()
    now = begin
    while end is None or now < end:
        if end is None and now - begin > 300_000_000:
            first, cpu, now = value, sum(map(processor_time, pids)), time.monotonic_ns()
            subscribers.flags[1], end = now, now + int(seconds * 1e9)
        value += 1
        subscribers.sent[value % RING] = now
        act(value)
        acked = time.monotonic_ns()
        if end is not None:
            times.append(acked - now)
        now = acked
    subscribers.flags[2] = now
    cpu = sum(map(processor_time, pids)) - cpu
    for _ in range(300):
        complete = sum(latest == value for latest in subscribers.latest)
        if complete == count:
            break
        time.sleep(0.01)
    subscribers.flags[3] = 1
    found = json.loads(os.read(reading, 4096))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    taken = (now - subscribers.flags[1]) / 1e9
    times.sort()
    return found | {
        "rate": len(times) / taken, "p50": times[len(times) // 2] / 1e3, "p99": times[len(times) * 99 // 100] / 1e3,
        "cpu": cpu / (value - first), "complete": complete}


def main(peer):
    if sys.argv[1] == "serve":
        peer.serve(sys.argv[2])
    else:
        address, count, seconds, pids = sys.argv[1:]
        print(json.dumps(measure(peer, address, int(count), float(seconds), [int(pid) for pid in pids.split(",")])), flush=True)
    # Without the ends of native threads, which some libraries wait for.
    sys.stdout.flush()
    os._exit(0)
