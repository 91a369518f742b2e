"""What replicates beside the hub: JetStream and Redis with Sentinel, three processes of each on this machine.

Each class starts them, appends with C clients that have D in flight each, and kills the process that leads.
"""
import contextlib
import json
import os
import re
import selectors
import shutil
import socket
import subprocess
import time

from servers import LIMIT, free_port, load

READY = 30


def wait(condition, what, seconds=READY):
    """The first true value of a condition."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError, ValueError):
            if found := condition():
                return found
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} was not ready within {seconds} s")
        time.sleep(0.02)


class Processes:
    """Processes by name, which can be killed and started again, and end with the object."""

    def __init__(self):
        self.commands, self.running = {}, {}

    def start(self, name, command=None):
        self.commands[name] = command or self.commands[name]
        self.running[name] = subprocess.Popen(
            self.commands[name], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, *names):
        for name in names:
            self.running[name].kill()
        for name in names:
            self.running.pop(name).wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill(*list(self.running))


# JetStream

class Nats:
    """A connection to a server of NATS, as far as publishing with acknowledgements needs it."""

    def __init__(self, port, inbox):
        self.socket, self.buffer, self.inbox = socket.create_connection(("127.0.0.1", port), 2), b"", inbox
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = 0
        self.socket.sendall(b'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\n'
                            b"SUB %s 1\r\nPING\r\n" % inbox)
        while b"PONG\r\n" not in self.buffer:
            self.read()
        self.buffer = self.buffer[self.buffer.index(b"PONG\r\n") + 6:]

    def read(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise OSError("the server closed the connection")
        self.buffer += data

    def publish(self, subject, payload, count=1):
        self.socket.sendall((b"PUB %s %s %d\r\n" % (subject, self.inbox, len(payload)) + payload + b"\r\n") * count)

    def take(self):
        """The payloads of the messages that have arrived."""
        found = []
        while (end := self.buffer.find(b"\r\n")) >= 0:
            head = self.buffer[:end].split()
            if head[0] not in (b"MSG", b"HMSG"):
                if head[0] == b"PING":
                    self.socket.sendall(b"PONG\r\n")
                self.buffer = self.buffer[end + 2:]
                continue
            size = int(head[-1])
            if len(self.buffer) < end + 4 + size:
                break
            found.append(self.buffer[end + 2:end + 2 + size])
            self.buffer = self.buffer[end + 4 + size:]
        return found

    def request(self, subject, payload=b"", seconds=2.0):
        """The answer; raises `OSError` if there is none in time."""
        self.socket.settimeout(seconds)
        self.publish(subject, payload)
        while not (found := self.take()):
            self.read()
        return found[-1]

    def close(self):
        self.socket.close()


class JetStream(Processes):
    """A stream with three replicas in files."""

    name = "JetStream"
    # The text of a message, as long as an action.
    PAYLOAD = b"increment"

    def __init__(self, directory, program):
        super().__init__()
        self.program = program
        self.version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split("v")[-1].strip()
        self.syncs = tuple(int(part) for part in self.version.split(".")[:2]) >= (2, 10)
        self.ports, routes = [free_port() for _ in range(3)], [free_port() for _ in range(3)]
        peers = ", ".join(f"nats://127.0.0.1:{port}" for port in routes)
        for index in range(3):
            path = f"{directory}/nats-{index}.conf"
            sync = ", sync_interval: always" if self.syncs else ""
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"server_name: n{index}\nlisten: 127.0.0.1:{self.ports[index]}\n"
                           f"jetstream {{ store_dir: {directory}/nats-{index}{sync} }}\n"
                           f"cluster {{ name: c, listen: 127.0.0.1:{routes[index]}, routes: [{peers}] }}\n")
            self.start(f"n{index}", [program, "-c", path])
        create = json.dumps({"name": "S", "subjects": ["s"], "num_replicas": 3, "storage": "file", "retention": "limits",
                             "discard": "old", "max_bytes": 1 << 28}).encode()
        wait(lambda: "error" not in self.ask("STREAM.CREATE.S", create), "JetStream", 60)
        wait(lambda: self.leader(), "the stream")

    @property
    def promise(self):
        return "on the disks of two" if self.syncs else "in the memory of two: this version has no sync_interval: always"

    def ask(self, call, payload=b""):
        for name, port in zip(("n0", "n1", "n2"), self.ports):
            if name in self.running:
                with contextlib.suppress(OSError):
                    connection = Nats(port, b"_i")
                    try:
                        return json.loads(connection.request(b"$JS.API." + call.encode(), payload))
                    finally:
                        connection.close()
        raise OSError("no server answers")

    def leader(self):
        cluster = self.ask("STREAM.INFO.S").get("cluster", {})
        peers = cluster.get("replicas", [])
        # All have what there is.
        current = all(peer.get("current") and not peer.get("offline") for peer in peers)
        return cluster.get("leader") if len(peers) == 2 and current else None

    def rate(self, connections, depth, seconds):
        """Appends per second, and the p50 and p99 of their time in ms, of clients at the server that leads."""
        port = self.ports[int(wait(self.leader, "the stream")[1])]
        clients = [Nats(port, b"_i%d" % number) for number in range(connections)]
        selector, times, count = selectors.DefaultSelector(), [], 0
        sent = {}
        for client in clients:
            client.socket.setblocking(True)
            selector.register(client.socket, selectors.EVENT_READ, client)
        start = time.perf_counter()
        for client in clients:
            client.publish(b"s", self.PAYLOAD, depth)
            sent[client] = [start] * depth
        end = start + seconds
        while (now := time.perf_counter()) < end:
            for key, _ in selector.select(0.1):
                client = key.data
                client.read()
                acknowledged = client.take()
                if any(b'"error"' in each for each in acknowledged):
                    raise SystemExit(f"JetStream refuses: {acknowledged[0]}")
                now = time.perf_counter()
                times += [now - at for at in sent[client][:len(acknowledged)]]
                count += len(acknowledged)
                if acknowledged:
                    client.publish(b"s", self.PAYLOAD, len(acknowledged))
                    sent[client] = sent[client][len(acknowledged):] + [now] * len(acknowledged)
        for client in clients:
            client.close()
        return result(count / (now - start), times)

    def gap(self):
        """Kills the server that leads; returns how long a client of another one had no acknowledgement."""
        leader = wait(self.leader, "the stream", 120)
        port = self.ports[(int(leader[1]) + 1) % 3]
        client = Nats(port, b"_g")
        client.request(b"s", self.PAYLOAD)
        last, killed = time.monotonic(), False
        longest, end = 0.0, time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                answer = client.request(b"s", self.PAYLOAD, 0.1)
                if b'"seq"' in answer:
                    now = time.monotonic()
                    longest, last = max(longest, now - last), now
                    if killed and longest > 0.1 and now - killed > longest:
                        break
            if not killed:
                self.kill(leader)
                killed = time.monotonic()
        client.close()
        self.start(leader)
        return longest, 0


# Redis

class Redis(Processes):
    """A primary with two replicas and three sentinels."""

    name = "Redis with Sentinel"
    promise = "on the disk of the primary: an acknowledgement does not wait for a replica, and a failover may lose it"

    def __init__(self, directory):
        super().__init__()
        self.version = subprocess.run(
            ["redis-server", "--version"], capture_output=True, text=True, check=True).stdout.split("v=")[1].split()[0]
        self.ports, self.sentinels = [free_port() for _ in range(3)], [free_port() for _ in range(3)]
        for index in range(3):
            place = f"{directory}/redis-{index}"
            os.mkdir(place)
            replica = ["--replicaof", "127.0.0.1", str(self.ports[0])] if index else []
            self.start(f"r{index}", [
                "redis-server", "--port", str(self.ports[index]), "--bind", "127.0.0.1", "--dir", place, "--save", "",
                "--appendonly", "yes", "--appendfsync", "always", *replica])
        wait(lambda: self.ask(self.ports[0], "PING") == b"+PONG\r\n", "Redis")
        for index in range(3):
            path = f"{directory}/sentinel-{index}.conf"
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"port {self.sentinels[index]}\nbind 127.0.0.1\ndir {directory}\n"
                           f"sentinel monitor m 127.0.0.1 {self.ports[0]} 2\n"
                           "sentinel down-after-milliseconds m 1000\nsentinel failover-timeout m 5000\n")
            self.start(f"s{index}", ["redis-sentinel", path])
        wait(self.is_whole, "Redis with Sentinel", 60)

    @staticmethod
    def ask(port, *words):
        """The bytes of the answer, which is short."""
        with socket.create_connection(("127.0.0.1", port), 0.5) as stream:
            stream.settimeout(0.5)
            stream.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words))
            return stream.recv(1 << 16)

    def primary(self):
        """The number of the primary, according to the sentinels."""
        for index, port in enumerate(self.sentinels):
            if f"s{index}" in self.running:
                with contextlib.suppress(OSError):
                    answer = self.ask(port, "SENTINEL", "get-master-addr-by-name", "m").split(b"\r\n")
                    return self.ports.index(int(answer[4]))
        raise OSError("no sentinel answers")

    def is_whole(self):
        """True when two replicas have what the primary has, and all sentinels know each other."""
        text = self.ask(self.ports[self.primary()], "INFO", "replication").decode()
        written = int(re.search(r"master_repl_offset:(\d+)", text)[1])
        offsets = [int(found[1]) for found in re.finditer(r"state=online,offset=(\d+)", text)]
        known = all(b"sentinels=3" in self.ask(port, "INFO", "sentinel") for port in self.sentinels)
        return len(offsets) == 2 and written - min(offsets) < 1000 and known

    def rate(self, connections, depth, seconds):
        index = wait(lambda: self.is_whole() and [self.primary()], "Redis with Sentinel", 60)[0]

        class Primary:
            port, process = self.ports[index], self.running[f"r{index}"]
        row = load(Primary, "redis-incr", (connections, depth, 0), seconds)
        return row["rate"], row["p50"] / 1e3, row["p99"] / 1e3

    def gap(self):
        """Kills the primary and a sentinel; returns how long a client had no acknowledgement, and how many are lost."""
        wait(self.is_whole, "Redis with Sentinel", 120)
        index, acknowledged = self.primary(), 0
        names = (f"r{index}", f"s{index}")
        for _ in range(50):
            acknowledged = int(self.ask(self.ports[index], "INCR", "gap")[1:])
        last = time.monotonic()
        self.kill(*names)

        def increment():
            answer = self.ask(self.ports[self.primary()], "INCR", "gap")
            return int(answer[1:]) if answer[:1] == b":" else None
        value = wait(increment, "another primary", 60)
        gap = time.monotonic() - last
        for name in names:
            self.start(name)
        return gap, max(0, acknowledged + 1 - value)


def result(rate, times):
    """A rate, and the p50 and p99 of times in ms."""
    times.sort()
    return rate, times[len(times) // 2] * 1e3, times[len(times) * 99 // 100] * 1e3


def found(directory, nats):
    """What is installed, started; prints what is not."""
    program = nats or shutil.which("nats-server")
    if program:
        yield lambda: JetStream(directory, program)
    else:
        print("JetStream is left out: apt-get install nats-server, or name a newer one with --nats-server")
    if shutil.which("redis-server") and shutil.which("redis-sentinel") and os.path.exists(f"{LIMIT}/load"):
        yield lambda: Redis(directory)
    else:
        print("Redis with Sentinel is left out: apt-get install redis-server redis-sentinel")
