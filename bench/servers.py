"""The servers that StoreHub is measured beside, started on private sockets, and one load program for all of them.

Server on core 0, load on core 1. REALTIME=1 runs both with real-time priority (chrt, needs root) on a machine that has
other work.
"""
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = os.path.join(HERE, "limit")
FIELDS = "label proto C W S rate p50 p99 p999 su ss cu cs pushes pp50 pp99 pbytes ok cpu".split()
# INCR and PUBLISH in one transaction and one command.
SCRIPT = (
    "#!lua name=hub\nredis.register_function('hub', function(keys, args) "
    "local v = redis.call('INCR', keys[1]) redis.call('PUBLISH', 'c', v) return v end)\n"
)


def on_core(core, argv):
    """The command that runs a program on one core, ahead of everything else on a machine that has other work."""
    realtime = ["chrt", "-r", "50"] if os.environ.get("REALTIME") else []
    return [*realtime, "taskset", "-c", str(core), *argv]


def raise_descriptor_limit():
    """Children inherit it: a thousand watchers need a thousand descriptors in the server and in the load program."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return None if hard == resource.RLIM_INFINITY else hard


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def processor_time(pid):
    """The CPU time of all threads of a process, in nanoseconds."""
    folder, used = f"/proc/{pid}/task", 0
    for thread in os.listdir(folder):
        try:
            with open(f"{folder}/{thread}/schedstat", encoding="ascii") as file:
                used += int(file.read().split()[0])
        except FileNotFoundError:
            pass
    return used


class Server:
    """A process that listens on a Unix socket, or on a port of this machine. Without a core it runs on any."""

    # The seconds within which it must listen.
    start_limit = 5

    def __init__(self, argv, path=None, setup=None, port=None, core=0):
        self.argv, self.socket, self.setup, self.port = argv, path, setup, port
        self.process = subprocess.Popen(
            argv if core is None else on_core(core, argv), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_listening(self):
        if self.port is None:
            return os.path.exists(self.socket)
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def __enter__(self):
        for _ in range(self.start_limit * 100):
            if self.is_listening() or self.process.poll() is not None:
                break
            time.sleep(0.01)
        else:
            self.process.kill()
            self.process.wait()
            raise SystemExit(f"{' '.join(self.argv)} did not listen within {self.start_limit} s")
        if self.process.poll() is not None:
            raise SystemExit(f"{' '.join(self.argv)} ended with status {self.process.returncode}")
        time.sleep(0.1)
        if self.setup:
            self.setup()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.socket and os.path.exists(self.socket):
            os.unlink(self.socket)


def load(server, protocol, case, seconds, rate=None, poll=None):
    """One run of the load program: its figures by name; `poll` is its busy poll in µs."""
    connections, depth, watchers = case
    # At a fixed rate the depth only bounds what a server that cannot keep up has in flight.
    pace = ["-r", str(rate), "-w", "4096"] if rate else ["-w", str(depth)]
    place = ["-t", str(server.port)] if server.port else ["-s", server.socket]
    pace += ["-B", str(poll)] if poll else []
    run = subprocess.run(
        on_core(1, [f"{LIMIT}/load", *place, "-p", protocol, "-c", str(connections), *pace,
                    "-S", str(watchers), "-T", str(seconds), "-q", "-P", str(server.process.pid)]),
        capture_output=True, text=True, timeout=180, check=False)
    lines = run.stdout.strip().splitlines()
    row = dict(zip(FIELDS, lines[-1].split(","))) if lines else {"ok": "no result"}
    if row["ok"] != "ok":
        raise SystemExit(f"{protocol} {case}: the run did not add up: {run.stderr.strip()}")
    return {name: float(row[name]) for name in ("rate", "p50", "p99", "pp50", "pp99", "cpu")}


class Rivals:
    """Starts the servers by name. `hubs` gives the names of hubs and their programs."""

    def __init__(self, hubs, directory, poll=None):
        # The busy poll in µs of servers whose name ends with " polling", and of the load program that drives them.
        self.hubs, self.directory, self.poll, self.count = hubs, directory, poll, 0

    @staticmethod
    def is_installed(name):
        if name.startswith("Redis"):
            return shutil.which("redis-server") is not None
        return name != "NATS" or shutil.which("nats-server") is not None

    def start(self, name, watchers=0, delay=None):
        """A server and the protocol that the load program speaks to it; `delay` is added to each fsync, in µs."""
        self.count += 1
        place = f"{self.directory}/{self.count}"
        path = f"{place}.sock"
        if name.startswith("C limit"):
            journal = ["-j", f"{place}.log"] if name.endswith("-j") else []
            return Server([f"{LIMIT}/server_uv", "-s", path, *journal], path), "hub"
        if name.startswith("Redis"):
            return self.redis(name, place, path, watchers)
        if name == "NATS":
            port = free_port()
            return Server(["nats-server", "-a", "127.0.0.1", "-p", str(port)], port=port), "nats"
        if name == "Python":
            return Server([sys.executable, f"{LIMIT}/peers/hub.py", path], path), "jsonl"
        hub = max((hub for hub in self.hubs if f"{name} ".startswith(f"{hub} ")), key=len)
        durability = name[len(hub) + 1:]
        slow = ["env", f"LD_PRELOAD={LIMIT}/slowsync.so", f"SLOWSYNC_US={delay}"] if delay else []
        options = ["--state-dir", place, "--durability", durability] if durability in ("sync", "async") else []
        if name.endswith(" polling"):
            options += ["--busy-poll", f"{self.poll}us"]
        protocol = "storehub-mixed" if name.endswith(" mixed") else "storehub"
        return Server([*slow, self.hubs[hub], "--socket", path, "--log-level", "error", *options], path), protocol

    @staticmethod
    def redis(name, place, path, watchers):
        os.mkdir(place)
        appends = {"Redis everysec": "everysec", "Redis always": "always"}.get(name)
        argv = ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--daemonize", "no", "--dir", place,
                "--appendonly", "yes" if appends else "no", *(["--appendfsync", appends] if appends else [])]

        def setup():
            subprocess.run(["redis-cli", "-s", path, "-x", "FUNCTION", "LOAD", "REPLACE"], input=SCRIPT.encode(),
                           check=True, stdout=subprocess.DEVNULL)
        if name == "Redis MULTI":
            return Server(argv, path), "redis-multi"
        return Server(argv, path, setup if watchers else None), "redis-fcall" if watchers else "redis-incr"

    def measure(self, names, case, runs, seconds, rate=None, delay=None):
        """For each name the figures of every run, in alternating order."""
        results = {name: [] for name in names}
        for run in range(runs):
            for name in names if run % 2 == 0 else reversed(names):
                server, protocol = self.start(name, case[2], delay)
                with server:
                    poll = self.poll if name.endswith(" polling") else None
                    results[name].append(load(server, protocol, case, seconds, rate, poll))
        return results


def median(rows, figure):
    return statistics.median(row[figure] for row in rows)


def ratios(rows, others, figure="rate"):
    """The ratio of each round, in order: both sides of a round ran one after the other."""
    return [row[figure] / other[figure] for row, other in zip(rows, others) if other[figure]]


class TemporaryDirectory:
    """A short path, as sockets need."""

    def __init__(self, parent=None):
        self.path = tempfile.mkdtemp(prefix="storehub-bench-", dir=parent)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
