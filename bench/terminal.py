#!/usr/bin/env python3
"""Measures `storeterm` on collections of several sizes, and prints Markdown: the screens for any hub (`--generic`), and
the hand-made one of the todos.

A hub for each size, filled with todos by `storeload`. The program runs in a terminal of 100 × 30 that this script reads.
*First screen* is the time from its start to its last output before it is quiet; *open* the same from the key that opens
the collection. A key's times are those to the first output after it, and to the last one: a key that leaves the window
of elements that are here shows at once which rows are missing, and then these rows. Memory is the resident set after
all keys. `--attach` measures only how long it takes until todos are shown, in runs that alternate between the sizes,
and how many bytes the hub sends for it. `--idle` seconds of an untouched program are traced (strace) for its system
calls.
"""
import argparse
import contextlib
import fcntl
import multiprocessing
import os
import pty
import re
import select
import signal
import socket
import statistics
import struct
import subprocess
import sys
import termios
import time

from servers import Server, TemporaryDirectory
from storeload import storeload

KEYS = {"down": b"\x1bOB", "page down": b"\x1b[6~", "page up": b"\x1b[5~"}
ENDS, END, HOME = "end, home", b"\x1bOF", b"\x1bOH"
# The seconds without output after which a screen counts as complete.
QUIET = 0.25
GOALS = {"first screen": 100, "open": 100, "key": 16, "memory": 40}


class Terminal:
    """A program in a terminal that this script reads and answers."""

    def __init__(self, argv, directory, rows=30, columns=100):
        self.start, self.text, self.directory = time.monotonic(), b"", directory
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.environ.update(TERM="xterm-256color", LANG="C.UTF-8")
            os.execv(argv[0], argv)

    def output(self, timeout):
        """What the program writes within some seconds; None if it writes nothing."""
        if not select.select([self.file], [], [], timeout)[0]:
            return None
        try:
            data = os.read(self.file, 1 << 16)
        except OSError as error:
            raise SystemExit(f"the program ended; its last output was {self.text[-300:]!r}") from error
        # It asks for the place of the cursor behind an emoji.
        for _ in range(data.count(b"\x1b[6n")):
            os.write(self.file, b"\x1b[1;3R")
        self.text += data
        return data

    def settle(self, start, waits=False, limit=60):
        """The times in ms from `start` to the first and the last output before the program is quiet.

        With `waits`, also for a first output that comes later.
        """
        first = last = None
        while time.monotonic() - start < limit:
            if self.output(QUIET if first or not waits else limit) is None:
                break
            last = (time.monotonic() - start) * 1e3
            first = first or last
        return first, last

    def press(self, key, waits=False):
        start = time.monotonic()
        os.write(self.file, key)
        return self.settle(start, waits)

    def memory(self):
        """The resident set in MB."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024

    def system_calls(self, seconds):
        """The system calls within some seconds, as strace prints them."""
        path = f"{self.directory}/calls"
        tracer = subprocess.Popen(["strace", "-f", "-o", path, "-p", str(self.pid)], stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        os.unlink(path)
        # The wait that the tracer interrupts is not a call of the program.
        return [line for line in lines if re.search(r"\) += ", line) and "resumed" not in line]

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        while True:
            try:
                if self.output(5) is None:
                    break
            except SystemExit:
                break
        os.waitpid(self.pid, 0)
        os.close(self.file)


def measure(options, size, server, configuration, is_generic):
    """The figures of one run of the program."""
    arguments, opening = (["--generic", "--config", configuration], b"\r") if is_generic else ([], b"2")
    terminal = Terminal([f"{options.programs}/storeterm", "--socket", server.socket, *arguments],
                        os.path.dirname(configuration))
    figures = {"first screen": terminal.settle(terminal.start, waits=True)[1]}
    figures["open"] = terminal.press(opening, waits=True)[1]
    # The heading has the number of the elements.
    if str(size).encode() not in terminal.text:
        raise SystemExit(f"the screen does not show the {size} todos: {terminal.text[-400:]!r}")
    for name, key in KEYS.items():
        figures[name] = [terminal.press(key) for _ in range(options.presses)]
    figures[ENDS] = [terminal.press(key) for _ in range(options.presses // 2) for key in (END, HOME)]
    figures["memory"] = terminal.memory()
    if options.idle:
        time.sleep(options.rest)
        figures["calls"] = terminal.system_calls(options.idle)
    figures["back"] = [terminal.press(b"\x7f" if is_generic else b"1")]
    terminal.close()
    return figures


class Relay:
    """A socket before that of a hub, in a process of its own, which counts the bytes that the hub sends."""

    def __init__(self, path, target):
        self.count = multiprocessing.Value("q", 0)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        self.process = multiprocessing.Process(target=self.run, args=(listener, target), daemon=True)
        self.process.start()
        listener.close()

    def run(self, listener, target):
        ends = {}
        while True:
            for ready in select.select([listener, *ends], [], [])[0]:
                if ready is listener:
                    (client, _), hub = listener.accept(), socket.socket(socket.AF_UNIX)
                    hub.connect(target)
                    ends[client], ends[hub] = (hub, False), (client, True)
                    continue
                if ready not in ends:
                    continue
                other, is_hub = ends[ready]
                data = ready.recv(1 << 16)
                if is_hub:
                    with self.count.get_lock():
                        self.count.value += len(data)
                if data:
                    other.sendall(data)
                else:
                    for end in (ready, other):
                        del ends[end]
                        end.close()


def first_todos(options, path):
    """The ms from the start of the hand-made screen to the first output with todos, whose key is pressed in advance."""
    terminal = Terminal([f"{options.programs}/storeterm", "--socket", path], os.path.dirname(path))
    os.write(terminal.file, b"2")
    # The texts of the todos with which storeload fills the list have this word.
    while b"-fill-" not in terminal.text:
        if terminal.output(60) is None:
            raise SystemExit(f"the screen shows no todos: {terminal.text[-400:]!r}")
    elapsed = (time.monotonic() - terminal.start) * 1e3
    terminal.settle(time.monotonic())
    terminal.close()
    return elapsed


def attach(options):
    """Prints the time and the bytes until the todos are shown, with each number of them, in alternating runs."""
    with TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        servers, times, received = [], {}, {}
        for size in options.sizes:
            path = f"{directory}/{size}.sock"
            server = Server([f"{options.programs}/storehubd", "--socket", path, "--log-level", "error"], path)
            servers.append((size, stack.enter_context(server)))
            storeload(options.programs, servers[-1][1], "--todos", size, "--workload", "edit", "--actions", 1)
        for _ in range(options.runs):
            for size, server in servers:
                times.setdefault(size, []).append(first_todos(options, server.socket))
        for size, server in servers:
            relay = Relay(f"{directory}/{size}.relay", server.socket)
            first_todos(options, f"{directory}/{size}.relay")
            received[size] = relay.count.value
            relay.process.terminate()
    base = options.sizes[0]
    print("| todos | ms until they are shown, median (min – max) | ÷ the first | bytes from the hub | ÷ the first |")
    print("|--:|--:|--:|--:|--:|")
    for size in options.sizes:
        median, values = statistics.median(times[size]), times[size]
        print(f"| {size:,} | {median:.1f} ({min(values):.1f} – {max(values):.1f}) "
              f"| {median / statistics.median(times[base]):.2f} "
              f"| {received[size]:,} | {received[size] / received[base]:.2f} |")


def report(options, size, runs, screen, rows, missed):
    """Adds the rows of several runs, and the goals that they miss."""
    for name in ("first screen", "open", "memory"):
        values = [run[name] for run in runs]
        unit = "MB" if name == "memory" else "ms"
        rows.append((size, name + screen, f"{statistics.median(values):.1f} {unit}", f"{max(values):.1f} {unit}", ""))
        if statistics.median(values) > GOALS[name]:
            missed.append(f"{name} with {size} todos{screen}")
    for name in [*KEYS, ENDS, "back"]:
        presses = [press for run in runs for press in run[name] if press[0] is not None]
        first, last = zip(*presses) if presses else ((0,), (0,))
        rows.append((size, name + screen, f"{statistics.median(first):.1f} ms", f"{max(first):.1f} ms",
                     f"{statistics.median(last):.1f} ms"))
        if statistics.median(first) > GOALS["key"]:
            missed.append(f"{name} with {size} todos{screen}")
    if options.idle:
        calls = [len(run["calls"]) for run in runs]
        name = f"system calls in {options.idle:g} s{screen}"
        rows.append((size, name, str(statistics.median(calls)), str(max(calls)), ""))
        if max(calls):
            print("\n".join(runs[-1]["calls"][:12]), file=sys.stderr)
            missed.append(f"no system calls with {size} todos{screen}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storehubd, storeload and storeterm")
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 1_000_000], metavar="N")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--presses", type=int, default=10, help="presses of each key in a run")
    parser.add_argument("--idle", type=float, default=5, help="the seconds for which system calls are traced; 0 for none")
    parser.add_argument("--rest", type=float, default=15, help="the seconds without a key before that")
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a goal is missed")
    parser.add_argument("--attach", action="store_true",
                        help="measure only the time and the bytes from the start to the first todos on the screen")
    options = parser.parse_args()
    if options.attach:
        return attach(options)
    missed = []
    rows = []
    with TemporaryDirectory() as directory:
        configuration = f"{directory}/storeterm.conf"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write("[screen]\ntabs = todos, counter\n")
        for size in options.sizes:
            path = f"{directory}/{size}.sock"
            with Server([f"{options.programs}/storehubd", "--socket", path, "--log-level", "error"], path) as server:
                storeload(options.programs, server, "--todos", size, "--workload", "edit", "--actions", 1)
                for is_generic in (True, False):
                    runs = [measure(options, size, server, configuration, is_generic) for _ in range(options.runs)]
                    report(options, size, runs, "" if is_generic else ", hand-made screen", rows, missed)
    print("| todos | what | median | maximum | until all rows are here |\n|--:|---|--:|--:|--:|")
    for row in rows:
        print(f"| {row[0]:,} | " + " | ".join(row[1:]) + " |")
    if missed:
        print("missed: " + ", ".join(missed), file=sys.stderr)
    return 1 if missed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
