"""Three hubs over an etcd on this machine: clients of each send actions while the hub that leads is killed.

    cluster.py STOREHUBD ETCD DIRECTORY [KILLS]
    cluster.py STOREHUBD ETCD DIRECTORY operate STORECTL
    cluster.py STOREHUBD ETCD DIRECTORY mistakes
    cluster.py STOREHUBD ETCD DIRECTORY renew OPENSSL
    cluster.py STOREHUBD ETCD DIRECTORY restore STORECTL
    cluster.py STOREHUBD ETCD DIRECTORY clock STORECTL LIBRARY
    cluster.py LEDGERHUB ETCD DIRECTORY schema STORECTL
    cluster.py STOREHUBD ETCD DIRECTORY away STORECTL
    cluster.py STOREHUBD ETCD DIRECTORY names STORECTL

The first prints one JSON object: what was sent and acknowledged, what each hub has in the end, how long clients of the
other hubs waited at most after each kill, and how often they lost their connections. After the kills, a hub that
follows loses its disk, and what its first client does not see then is "forgotten". A client of each hub attaches a
view, and "views" tells whether it has the hub's todos in the end. In the second, an operator looks at the hubs, stops
the one that leads in order, and has the next one pass the leadership on, which costs no client its connection. The
third makes mistakes of an operator, and prints what the logs of the hubs say. In the fourth, another authority makes
all certificates while the hubs run. In the fifth, the journal of a hub without a cluster becomes the beginning of a
cluster; then etcd is replaced by a backup, and then it loses everything, and an operator restores the log. In between,
the operator verifies it, also with an entry that has other bytes, and removes a node, which stops when it goes on and
does not start until it is taken back; at last, the keys `leader` and
`history` are damaged, and mended. In the sixth, the clock of a node is ahead, then right, and then behind, by a
preloaded library. In the seventh, an operator upgrades the hubs one after the other to versions with other schemas, also
with an empty disk and after the log has lost entries. In the eighth, a hub that follows is away until the log no longer has what it lacks:
killed, and stopped so that it ends when it goes on. Then it loses its disk. "first" tells how many acknowledged actions
its clients do not see when it listens. In the ninth, the hub that leads passes the leadership on to the other one, each
with a client that has a name; "clients" has the names that the leader lists before and after that, and "log" the last
senders in the journal of each hub.
"""

import asyncio
import base64
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.request

import storehub

NODES = ("a", "b", "c")
# The first numbers of the users of each machine, where these have users of their own.
BASES = {"a": 0, "b": 500_000_000, "c": 1_000_000_000}
LIMIT = 180.0


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def separate(bases):
    """The settings of machines with users of their own, which begin with these numbers."""
    return "uids = separate\nuid-bases = " + ", ".join(f"{node}:{base}" for node, base in bases.items())


class Cluster:
    def __init__(self, program, etcd, directory, certificates=None):
        self.program, self.etcd, self.directory, self.certificates = program, etcd, directory, certificates
        ports = free_ports(5)
        self.client_port, self.peer_port = ports[:2]
        self.links = ",".join(f"{node}@127.0.0.1:{port}" for node, port in zip(NODES, ports[2:]))
        self.processes = {}
        # Settings beside those that each node needs.
        self.settings = ""
        self.uids = "uids = shared"
        # Options of the hubs.
        self.options = []

    def path(self, *names):
        return os.path.join(self.directory, *names)

    @property
    def endpoint(self):
        return f"http{'s' if self.certificates else ''}://127.0.0.1:{self.client_port}"

    def start_etcd(self):
        client, peer = self.endpoint, f"http://127.0.0.1:{self.peer_port}"
        options = self.certificates.etcd_options if self.certificates else []
        with open(self.path("etcd.log"), "wb") as log:
            self.processes["etcd"] = subprocess.Popen(
                [self.etcd, "--name", "e", "--data-dir", self.path("etcd"), "--listen-client-urls", client,
                 "--advertise-client-urls", client, "--listen-peer-urls", peer,
                 "--initial-advertise-peer-urls", peer, "--initial-cluster", f"e={peer}",
                 "--heartbeat-interval", "50", "--election-timeout", "500", *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def configure(self, node, links=None):
        with open(self.path(f"{node}.conf"), "w") as file:
            file.write(
                f"[cluster]\nnode = {node}\nnodes = {links or self.links}\netcd = {self.endpoint}\n{self.uids}\n"
                + self.settings + (self.certificates.settings(node) if self.certificates else ""))

    def start(self, node, links=None, environment=None):
        self.configure(node, links)
        with open(self.path(f"{node}.log"), "ab") as log:
            self.processes[node] = subprocess.Popen(
                [self.program, "--socket", self.path(f"{node}.sock"), "--state-dir", self.path(node),
                 "--config", self.path(f"{node}.conf"), *self.options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | (environment or {}))

    def start_alone(self, node):
        """Starts a hub without a cluster."""
        with open(self.path(f"{node}.log"), "ab") as log:
            self.processes[node] = subprocess.Popen(
                [self.program, "--socket", self.path(f"{node}.sock"), "--state-dir", self.path(node)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self, node):
        with open(self.path(f"{node}.log"), encoding="utf-8") as file:
            return file.read()

    async def wait(self, node, text, count=1):
        end = time.monotonic() + LIMIT
        while self.log(node).count(text) < count:
            if time.monotonic() > end or self.processes[node].poll() is not None:
                raise SystemExit(f"{node} does not say '{text}':\n{self.log(node)}")
            await asyncio.sleep(0.02)

    async def leader(self, nodes):
        """The node that leads: the one with the highest term."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            terms = {}
            for node in nodes:
                for line in self.log(node).splitlines():
                    if "leads in term" in line:
                        terms[node] = int(line.rsplit(" ", 1)[1])
            if terms:
                return max(terms, key=terms.get)
            await asyncio.sleep(0.02)
        raise SystemExit("no node leads:\n" + "\n".join(self.log(node) for node in nodes))

    def kill(self, node):
        process = self.processes.pop(node)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def lose_disk(self, node):
        """Removes all that a hub has stored, as on a machine that replaces another one."""
        shutil.rmtree(self.path(node))
        os.remove(self.path(f"{node}.sock.history"))

    def end(self, node):
        """Stops a hub in order. Returns its status."""
        self.processes[node].send_signal(signal.SIGTERM)
        return self.ended(node)

    def ended(self, node):
        """Waits for a process that ends by itself. Returns its status."""
        status = self.processes[node].wait(LIMIT)
        del self.processes[node]
        return status

    def stop(self):
        if sys.exc_info()[0] is not None:
            # What the hubs were doing when the test failed.
            for node in NODES:
                if os.path.exists(self.path(f"{node}.log")):
                    print(f"log of {node}, the end:\n{self.log(node)[-4000:]}", file=sys.stderr)
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait()


class Certificates:
    """The files of an authority, of etcd and of each node, which `make` replaces."""

    def __init__(self, openssl, directory, nodes=NODES):
        self.openssl, self.directory, self.nodes = openssl, directory, nodes
        os.mkdir(directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def make(self, authority, days={}):
        """Lets a new authority make all certificates. Nobody knows the last one any more. They are valid for a month, or
        for other numbers of days."""
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout"]
        self.run("req", "-x509", *new, self.path("ca.key"), "-days", "30", "-subj", f"/CN={authority}",
                 "-out", self.path("ca.pem"))
        with open(self.path("names"), "w") as file:
            file.write("subjectAltName=IP:127.0.0.1\n")
        for name in ("etcd", *self.nodes):
            self.run("req", "-new", *new, self.path(f"{name}.key"), "-subj", f"/CN={name}",
                     "-out", self.path(f"{name}.csr"))
            self.run("x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path("ca.pem"),
                     "-CAkey", self.path("ca.key"), "-CAcreateserial", "-days", str(days.get(name, 30)),
                     "-extfile", self.path("names"), "-out", self.path(f"{name}.pem"))

    def run(self, *arguments):
        subprocess.run([self.openssl, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=True)

    @property
    def etcd_options(self):
        return ["--cert-file", self.path("etcd.pem"), "--key-file", self.path("etcd.key"),
                "--trusted-ca-file", self.path("ca.pem"), "--client-cert-auth"]

    def settings(self, node):
        return f"ca = {self.path('ca.pem')}\ncert = {self.path(f'{node}.pem')}\nkey = {self.path(f'{node}.key')}\n"


def todo(text):
    return {"todos": {"addButtonTapped": text}}


class Client:
    """Sends one action after the other, and notes how long each took."""

    def __init__(self, cluster, node, action=todo, pause=0.002):
        self.cluster, self.node, self.action, self.pause = cluster, node, action, pause
        self.sent, self.acknowledged, self.losses = [], [], 0
        self.slowest = 0.0
        self.isStopping = False

    async def run(self):
        async with storehub.connect(self.cluster.path(f"{self.node}.sock"), shortest_delay=0.02) as hub:
            watch = asyncio.create_task(self.count(hub))
            while not self.isStopping:
                text = f"{self.node} {len(self.sent)}"
                self.sent.append(text)
                start = time.monotonic()
                await hub.send(self.action(text))
                self.slowest = max(self.slowest, time.monotonic() - start)
                self.acknowledged.append(text)
                await asyncio.sleep(self.pause)
            watch.cancel()

    async def count(self, hub):
        async for state in hub.states():
            if isinstance(state, storehub.Stale):
                self.losses += 1


class Watcher:
    """Attaches a view of a hub, and counts how often it has changed."""

    def __init__(self, cluster, node):
        self.cluster, self.node = cluster, node
        self.changes, self.part = 0, None

    async def run(self):
        async with storehub.connect(self.cluster.path(f"{self.node}.sock"), shortest_delay=0.02) as hub:
            self.part = await hub.attach("view:active")
            async for _ in self.part.values():
                self.changes += 1

    async def goes_on(self, changes):
        """Waits until it has changed more often."""
        end = time.monotonic() + LIMIT
        while self.changes <= changes:
            if time.monotonic() > end:
                raise SystemExit(f"the view of {self.node} does not change")
            await asyncio.sleep(0.02)

    async def equals(self, texts):
        """True once the view has these todos, which are not completed."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if self.part and self.part.is_present and [todo["text"] for todo in self.part.value] == texts:
                return True
            await asyncio.sleep(0.02)
        return False


async def progress(clients, tasks, count=10):
    """Waits until each client has some more acknowledgements, or one has failed."""
    counts = [(client, len(client.acknowledged) + count) for client in clients]
    end = time.monotonic() + LIMIT
    while any(len(client.acknowledged) < count for client, count in counts):
        if time.monotonic() > end or any(task.done() for task in tasks):
            return
        await asyncio.sleep(0.01)


async def texts(cluster, node, **options):
    async with storehub.connect(cluster.path(f"{node}.sock"), **options) as hub:
        part = await hub.attach("todos.todos")
        return [todo["text"] for todo in part.value]


async def settled(cluster, expected):
    """The todos of each hub, once all have the expected number of them."""
    end = time.monotonic() + LIMIT
    while True:
        found = {node: await texts(cluster, node) for node in NODES}
        if all(len(list) >= expected for list in found.values()) or time.monotonic() > end:
            return found
        await asyncio.sleep(0.05)


async def begin(cluster, environments={}, **options):
    """Starts all, and a client of each hub."""
    cluster.start_etcd()
    for node in NODES:
        cluster.start(node, environment=environments.get(node))
    for node in NODES:
        await cluster.wait(node, "listening on")
    clients = {node: Client(cluster, node, **options) for node in NODES}
    tasks = [asyncio.create_task(client.run()) for client in clients.values()]
    await progress(clients.values(), tasks)
    return clients, tasks


async def disturb(clients, tasks, function, *arguments):
    """Does something that disturbs the cluster: how long the clients waited, and how often they lost the connection."""
    before = sum(client.losses for client in clients)
    for client in clients:
        client.slowest = 0.0
    await asyncio.to_thread(function, *arguments)
    await progress(clients, tasks)
    return max(client.slowest for client in clients), sum(client.losses for client in clients) - before


async def names(program, etcd, directory, storectl):
    """What two hubs know of each other's client, of which one leads, and then the other."""
    cluster = Cluster(program, etcd, directory)
    nodes = NODES[:2]

    def control(*arguments, check=True):
        return subprocess.run(
            [storectl, *arguments], timeout=LIMIT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=check).stdout

    async def listed(expected):
        """The node that leads, and the names of the clients that it lists, once they are the expected ones, or after a
        time. On a busy machine, another one may lead meanwhile."""
        end = time.monotonic() + LIMIT
        while True:
            node = await cluster.leader(nodes)
            rows = await asyncio.to_thread(control, "--json", "--socket", cluster.path(f"{node}.sock"), "clients")
            found = [[row["node"], row["name"]] for row in map(json.loads, rows.splitlines())]
            found = sorted(row for row in found if row[1] != "storectl clients")
            if found == expected or time.monotonic() > end:
                return node, found
            await asyncio.sleep(0.1)

    async def passed_on(target):
        """Has a node lead. That it does is in its log a moment later."""
        end = time.monotonic() + LIMIT
        while (leader := await cluster.leader(nodes)) != target and time.monotonic() < end:
            await asyncio.to_thread(
                control, "--socket", cluster.path(f"{leader}.sock"), "cluster", "transfer", target, check=False)
            await asyncio.sleep(0.1)

    try:
        cluster.start_etcd()
        for node in nodes:
            cluster.start(node)
        for node in nodes:
            await cluster.wait(node, "listening on")
        expected = [[node, f"worker {node}"] for node in nodes]
        clients, leaders, sent = [], [], 0
        async with storehub.connect(cluster.path("a.sock"), name="worker a") as first, \
                storehub.connect(cluster.path("b.sock"), name="worker b") as second:
            for number in range(2):
                if leaders:
                    await passed_on(next(node for node in nodes if node != leaders[0]))
                for hub, node in ((first, "a"), (second, "b")):
                    await asyncio.wait_for(hub.send(todo(f"{node} {number}")), LIMIT)
                    sent += 1
                leader, found = await listed(expected)
                leaders.append(leader)
                clients.append(found)
            # Each hub has all actions.
            for node in nodes:
                end = time.monotonic() + LIMIT
                while len(await texts(cluster, node)) < sent and time.monotonic() < end:
                    await asyncio.sleep(0.05)
        log = {node: [line for line in control("log", "--state-dir", cluster.path(node)).splitlines()
                      if line.startswith("──")] for node in nodes}
        lines = {node: [line for line in control("log", "--json", "--state-dir", cluster.path(node)).splitlines()]
                 for node in nodes}
        senders = {node: [[action["action"]["todos"]["addButtonTapped"], action["client"]]
                          for turn in map(json.loads, lines[node]) for action in turn["actions"]] for node in nodes}
        json.dump({"leaders": leaders, "clients": clients, "senders": senders, "log": log}, sys.stdout)
    finally:
        cluster.stop()


async def restart(cluster, node, clients, tasks):
    starts = cluster.log(node).count("listening on")
    cluster.start(node)
    await cluster.wait(node, "listening on", starts + 1)
    await progress(clients.values(), tasks)


async def outcome(cluster, clients, tasks, gaps, lost, watchers=()):
    for client in clients.values():
        client.isStopping = True
    await asyncio.wait_for(asyncio.gather(*tasks), LIMIT)
    acknowledged = [text for client in clients.values() for text in client.acknowledged]
    found = await settled(cluster, len(acknowledged))
    return {
        "acknowledged": len(acknowledged),
        "missing": {node: len(set(acknowledged) - set(list)) for node, list in found.items()},
        "doubled": {node: len(list) - len(set(list)) for node, list in found.items()},
        "differing": sum(found[node] != found[NODES[0]] for node in NODES),
        "gaps": [round(gap, 3) for gap in gaps],
        "lostConnections": lost,
        "views": {watcher.node: await watcher.equals(found[watcher.node]) for watcher in watchers},
    }


async def main(program, etcd, directory, kills):
    cluster = Cluster(program, etcd, directory)
    try:
        clients, tasks = await begin(cluster)
        watchers = [Watcher(cluster, node) for node in NODES]
        watching = [asyncio.create_task(watcher.run()) for watcher in watchers]
        gaps, lost = [], 0
        for _ in range(kills):
            leader = await cluster.leader(NODES)
            others = [clients[node] for node in NODES if node != leader]
            gap, losses = await disturb(others, tasks, cluster.kill, leader)
            gaps.append(gap)
            lost += losses
            for watcher in watchers:
                if watcher.node != leader:
                    await watcher.goes_on(watcher.changes)
            await restart(cluster, leader, clients, tasks)
        forgotten = await lose_a_disk(cluster, clients, tasks)
        result = await outcome(cluster, clients, tasks, gaps, lost, watchers)
        for task in watching:
            task.cancel()
        json.dump(result | {"forgotten": forgotten}, sys.stdout)
    finally:
        cluster.stop()


async def lose_a_disk(cluster, clients, tasks):
    """A hub that follows starts again without its disk. Returns how many acknowledged actions its first client misses."""
    # A log that takes a while to copy.
    await progress(clients.values(), tasks, 100)
    leader = await cluster.leader(NODES)
    node = next(node for node in NODES if node != leader)
    cluster.kill(node)
    cluster.lose_disk(node)
    acknowledged = {text for client in clients.values() for text in client.acknowledged}
    cluster.start(node)
    found = await asyncio.wait_for(texts(cluster, node, shortest_delay=0.001, longest_delay=0.002), LIMIT)
    await progress(clients.values(), tasks)
    return len(acknowledged - set(found))


async def fill(cluster, node, name, action=todo, count=60):
    """Sends so much that the log does not keep what was before."""
    async with storehub.connect(cluster.path(f"{node}.sock"), shortest_delay=0.02) as hub:
        for number in range(count):
            await hub.send(action(f"filler {name} {number} " + "x" * 200_000))


def compact(cluster):
    """Has etcd forget everything that is older than now, as its operator can. No hub asks for so much."""
    def call(name, body):
        with urllib.request.urlopen(f"{cluster.endpoint}/v3/kv/{name}", json.dumps(body).encode(), LIMIT) as answer:
            return json.load(answer)

    header = call("range", {"key": base64.b64encode(b"none").decode()})["header"]
    call("compaction", {"revision": header["revision"], "physical": True})


async def trimmed(operator, leader, node):
    """Waits until the log, which is appended to meanwhile, does not have what follows the journal of a node."""
    _, output, _ = await asyncio.to_thread(operator.verify, node)
    last = int(output.split("journal   entry ")[1].split(",")[0])
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        _, output, _ = await asyncio.to_thread(operator.verify, leader)
        if int(output.split("log       entries ")[1].split(" ")[0]) > last + 1:
            return
    raise SystemExit(f"the log still has entry {last + 1}: {output}")


async def away(program, etcd, directory, storectl):
    """A hub comes back to a log that does not have what it lacks: with an old journal, and with an empty disk."""
    cluster = Cluster(program, etcd, directory)
    operator = Operator(cluster, storectl)
    cluster.settings = "keep = 1M\n"
    try:
        clients, tasks = await begin(cluster)
        leader = await cluster.leader(NODES)
        node, other = [node for node in NODES if node != leader]
        rest = [clients[leader], clients[other]]
        first, verified, lost = {}, [], 0
        for loss in ("time", "stop", "disk"):
            starts = cluster.log(node).count("listening on")
            if loss == "stop":
                cluster.processes[node].send_signal(signal.SIGSTOP)
            else:
                cluster.kill(node)
            if loss == "disk":
                kept = sorted(name for name in os.listdir(cluster.path(node)) if ".before-" in name)
                cluster.lose_disk(node)
            else:
                await fill(cluster, leader, loss)
                await trimmed(operator, leader, node)
            await progress(rest, tasks)
            if loss == "stop":
                # It keeps what its watch has not sent yet, also after the log has removed it, until a compaction.
                cluster.kill("etcd")
                cluster.start_etcd()
                await progress(rest, tasks)
                await asyncio.to_thread(compact, cluster)
                cluster.processes[node].send_signal(signal.SIGCONT)
                ended = await asyncio.to_thread(cluster.ended, node)
            losses = sum(client.losses for client in rest)
            acknowledged = {text for client in clients.values() for text in client.acknowledged}
            cluster.start(node)
            await cluster.wait(node, "listening on", starts + 1)
            found = await texts(cluster, node)
            first[loss] = len(acknowledged - set(found))
            await progress(clients.values(), tasks, 20)
            lost += sum(client.losses for client in rest) - losses
            verified.append(await asyncio.to_thread(operator.verify, node))
        result = await outcome(cluster, clients, tasks, [], lost)
        result |= {"first": first, "kept": kept, "ended": ended, "verified": verified, "node": node, "logs": {name: cluster.log(name) for name in NODES}}
        json.dump(result, sys.stdout)
    finally:
        cluster.stop()


async def operate(program, etcd, directory, storectl):
    """The logs tell whether the leadership was passed on: it is then not taken after a silence. Each machine has users of
    its own, and the hub that leads knows those of all clients."""
    cluster = Cluster(program, etcd, directory)
    cluster.uids = separate(BASES)

    def control(node, *arguments):
        result = subprocess.run(
            [storectl, "--json", "--socket", cluster.path(f"{node}.sock"), *arguments], timeout=LIMIT,
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return {"status": result.returncode, "output": json.loads(result.stdout or "null"), "errors": result.stderr}

    def users(node):
        """The users of the clients that the hub of a node lists, and the nodes of those whose processes it knows and does
        not know."""
        result = subprocess.run(
            [storectl, "--json", "--socket", cluster.path(f"{node}.sock"), "clients"], timeout=LIMIT,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
        listed = [json.loads(line) for line in result.stdout.splitlines()]
        for client in listed:
            places[client["process"] is not None].add(client["node"])
        return sorted({client["user"] for client in listed})

    places = {True: set(), False: set()}
    try:
        clients, tasks = await begin(cluster)
        leader = await cluster.leader(NODES)
        end = time.monotonic() + LIMIT
        while len(found := await asyncio.to_thread(users, leader)) < 3 and time.monotonic() < end:
            await asyncio.sleep(0.1)
        statuses = {node: await asyncio.to_thread(control, node, "status") for node in NODES}
        others = [clients[node] for node in NODES if node != leader]
        gap, lost = await disturb(others, tasks, cluster.end, leader)
        second = await cluster.leader([node for node in NODES if node != leader])
        await restart(cluster, leader, clients, tasks)
        end = time.monotonic() + LIMIT
        while leader not in (await asyncio.to_thread(control, second, "cluster", "status"))["output"]["linkedNodes"]:
            if time.monotonic() > end:
                raise SystemExit(f"{second} is not linked with {leader}:\n{cluster.log(second)}")
        refused = await asyncio.to_thread(control, leader, "cluster", "transfer", leader)
        transfers = []
        transfer, losses = await disturb(
            clients.values(), tasks, lambda: transfers.append(control(second, "cluster", "transfer", leader)))
        result = await outcome(cluster, clients, tasks, [gap, transfer], lost + losses)
        result |= {
            "places": {"known": sorted(places[True]), "unknown": sorted(places[False])},
            "users": found, "expectedUsers": sorted(base + os.getuid() for base in BASES.values()),
            "leaders": [leader, second], "statuses": statuses, "refused": refused, "transfer": transfers[0],
            "logs": {node: cluster.log(node) for node in NODES},
        }
        json.dump(result, sys.stdout)
    finally:
        cluster.stop()


async def mistakes(program, etcd, directory):
    """The leader is missing in the configuration of one hub, and has a wrong address in that of another one. Then etcd
    loses its data."""
    cluster = Cluster(program, etcd, directory)
    try:
        cluster.start_etcd()
        cluster.start("c")
        await cluster.wait("c", "leads in term")
        a, b, _ = cluster.links.split(",")
        cluster.start("a", f"{a},{b},c@127.0.0.1:1")
        cluster.start("b", f"{a},{b}")
        await cluster.wait("a", "no link with node c")
        await cluster.wait("b", "does not name it")
        cluster.kill("etcd")
        os.rename(cluster.path("etcd"), cluster.path("lost"))
        cluster.start_etcd()
        statuses = {node: cluster.processes[node].wait(LIMIT) for node in NODES}
        json.dump({"statuses": statuses, "logs": {node: cluster.log(node) for node in NODES}}, sys.stdout)
    finally:
        cluster.stop()


async def renew(program, etcd, directory, openssl):
    """Etcd, and a hub that follows, know the new authority only. The other hubs read its files at a SIGHUP."""
    certificates = Certificates(openssl, os.path.join(directory, "certificates"))
    certificates.make("first")
    cluster = Cluster(program, etcd, directory, certificates)
    try:
        clients, tasks = await begin(cluster)
        leader = await cluster.leader(NODES)
        stays, restarts = [node for node in NODES if node != leader]
        # Half of a certificate: the hub goes on with what it has.
        with open(certificates.path(f"{leader}.pem"), "w") as file:
            file.write("-----BEGIN CERTIFICATE-----\n")
        cluster.processes[leader].send_signal(signal.SIGHUP)
        await cluster.wait(leader, "the configuration is unchanged")
        await progress(clients.values(), tasks)
        before = cluster.log(leader)

        certificates.make("second")
        cluster.kill("etcd")
        cluster.kill(restarts)
        cluster.start_etcd()
        for node in (leader, stays):
            await cluster.wait(node, "is not trusted")
        reloads = {node: cluster.log(node).count("were read again") for node in (leader, stays)}
        links = {node: cluster.log(node).count(f"linked with node {restarts}") for node in (leader, stays)}
        for node in (leader, stays):
            cluster.processes[node].send_signal(signal.SIGHUP)
            await cluster.wait(node, "were read again", reloads[node] + 1)
        await restart(cluster, restarts, clients, tasks)
        for node in (leader, stays):
            await cluster.wait(node, f"linked with node {restarts}", links[node] + 1)
        result = await outcome(cluster, clients, tasks, [], 0)
        json.dump(result | {"mistake": before}, sys.stdout)
    finally:
        cluster.stop()


async def load(clients):
    """Lets clients send some actions each."""
    for client in clients:
        client.isStopping = False
    tasks = [asyncio.create_task(client.run()) for client in clients]
    await progress(clients, tasks)
    for client in clients:
        client.isStopping = True
    await asyncio.wait_for(asyncio.gather(*tasks), LIMIT)


class Operator:
    def __init__(self, cluster, storectl):
        self.cluster, self.storectl = cluster, storectl
        self.refusals = []

    def run(self, *arguments):
        result = subprocess.run(
            [self.storectl, "cluster", *arguments], timeout=LIMIT, stdin=subprocess.DEVNULL, capture_output=True,
            text=True)
        return result.returncode, result.stdout, result.stderr

    def must(self, *arguments):
        status, output, errors = self.run(*arguments)
        if status != 0:
            raise SystemExit(f"storectl cluster {' '.join(arguments)} exits with {status}: {output}{errors}")
        return output

    def restore(self, node, *more):
        return self.run("restore", "--state-dir", self.cluster.path(node), "--config",
                        self.cluster.path(f"{node}.conf"), *more)

    def verify(self, node, *more):
        return self.run("verify", "--state-dir", self.cluster.path(node), "--config", self.cluster.path(f"{node}.conf"),
                        *more)

    def interrupt(self, node):
        """Begins to restore the log, and interrupts that while it waits to see whether a hub leads."""
        self.cluster.settings = "takeover-after = 30s\n"
        self.cluster.configure(node)
        self.cluster.settings = ""
        command = subprocess.Popen(
            [self.storectl, "cluster", "restore", "--yes", "--state-dir", self.cluster.path(node), "--config",
             self.cluster.path(f"{node}.conf")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = command.stderr.readline()
        command.send_signal(signal.SIGINT)
        output, errors = command.communicate(timeout=LIMIT)
        self.cluster.configure(node)
        return command.returncode, output, first + errors

    async def cut(self):
        """Etcd has an entry after the end of all journals that cannot be read: what hubs say, and how it is given up."""
        ends = {node: json.loads(self.verify(node, "--json")[1])["journal"]["entry"] for node in NODES}
        last = max(ends.values())
        self.etcd("put", key=f"storehub/log/{last + 1:016x}", value=b"nonsense")
        refused = {}
        for node in NODES:
            before = len(self.cluster.log(node))
            self.cluster.start(node)
            status = await asyncio.to_thread(self.cluster.ended, node)
            refused[node] = [status, self.cluster.log(node)[before:]]
        node = max(NODES, key=lambda node: json.loads(self.verify(node, "--json")[1])["journal"]["entry"])
        plan, restored, again = self.restore(node), self.restore(node, "--yes"), self.restore(node, "--yes")
        for one in NODES:
            starts = self.cluster.log(one).count("listening on")
            self.cluster.start(one)
            await self.cluster.wait(one, "listening on", starts + 1)
        return {"last": last, "refused": refused, "plan": plan, "restored": restored, "again": again,
                "afterwards": {node: self.verify(node) for node in NODES}}

    def damage_leader(self, value):
        """Another program writes the key that the last leader holds, or removes it."""
        if value is None:
            self.etcd("deleterange", key="storehub/leader")
        else:
            self.etcd("put", key="storehub/leader", value=value)

    async def mend_leader(self, clients, value):
        """The key `leader` is damaged while the hubs run and clients send: what the hubs say, and how it is mended. The
        clients stay the same, and their actions wait."""
        cluster = self.cluster
        reports = {node: cluster.log(node).count("no node can lead: ") for node in NODES}
        for client in clients:
            client.isStopping = False
        tasks = [asyncio.create_task(client.run()) for client in clients]
        await progress(clients, tasks)
        losses = sum(client.losses for client in clients)
        await asyncio.to_thread(self.damage_leader, value)
        for node in NODES:
            await cluster.wait(node, "no node can lead: ", reports[node] + 1)
        lost = sum(client.losses for client in clients) - losses
        served = {node: len(await texts(cluster, node)) for node in NODES}
        for node in NODES:
            await asyncio.to_thread(cluster.end, node)
        ends = {node: json.loads(self.verify(node, "--json")[1])["journal"]["entry"] for node in NODES}
        best = max(NODES, key=ends.get)
        verified = self.verify(best)
        plan, restored, again = self.restore(best), self.restore(best, "--yes"), self.restore(best, "--yes")
        for node in NODES:
            starts = cluster.log(node).count("listening on")
            cluster.start(node)
            await cluster.wait(node, "listening on", starts + 1)
        await progress(clients, tasks)
        for client in clients:
            client.isStopping = True
        await asyncio.wait_for(asyncio.gather(*tasks), LIMIT)
        return {"lost": lost, "served": served, "verified": verified, "plan": plan, "restored": restored,
                "again": again, "logs": {node: cluster.log(node)[-20_000:] for node in NODES},
                "afterwards": {node: self.verify(node) for node in NODES}}

    def remove(self, node):
        """Removes a node, on the machine of another one."""
        other = next(other for other in NODES if other != node)
        return self.run("remove", node, "--config", self.cluster.path(f"{other}.conf"))

    def add(self, node):
        """Takes a node back, on the machine of another one."""
        other = next(other for other in NODES if other != node)
        return self.run("add", node, "--config", self.cluster.path(f"{other}.conf"))

    async def status(self, node, removed):
        """The status of a node's hub, once it names this many removed nodes."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            status, output, _ = self.run("status", "--json", "--socket", self.cluster.path(f"{node}.sock"))
            if status == 0 and len(json.loads(output)["removedNodes"]) == removed:
                break
            await asyncio.sleep(0.1)
        return self.run("status", "--socket", self.cluster.path(f"{node}.sock"))

    def damage(self):
        """Changes the last byte of an entry in etcd, and verifies the log with it and without it."""
        key = self.etcd("range", key="storehub/log/", range_end="storehub/log0", limit=5)["kvs"][-1]
        name, value = base64.b64decode(key["key"]).decode(), base64.b64decode(key["value"])
        self.etcd("put", key=name, value=value[:-1] + bytes([value[-1] ^ 1]))
        damaged = self.verify("a")
        self.etcd("put", key=name, value=value)
        return damaged, self.verify("a")

    def etcd(self, call, limit=0, **values):
        """Calls etcd's gateway for JSON."""
        body = {name: base64.b64encode(value.encode() if isinstance(value, str) else value).decode()
                for name, value in values.items()}
        if limit:
            body["limit"] = limit
        with urllib.request.urlopen(f"{self.cluster.endpoint}/v3/kv/{call}", json.dumps(body).encode(), LIMIT) as answer:
            return json.load(answer)

    def copy(self, source, node):
        """Replaces the journal of a node by a copy of that of a hub that runs."""
        shutil.rmtree(self.cluster.path(node), ignore_errors=True)
        self.must("copy", "--state-dir", self.cluster.path(source), "--into", self.cluster.path(node))

    async def repair(self):
        """Restores the log: what each command and each hub has said."""
        cluster = self.cluster
        refused = {}
        for node in NODES:
            before = len(cluster.log(node))
            cluster.start(node)
            status = await asyncio.to_thread(cluster.ended, node)
            refused[node] = [status, cluster.log(node)[before:]]
        verified = {node: self.verify(node) for node in NODES}
        plans = {node: self.restore(node) for node in NODES}
        ends = {node: int(plan[1].split("entry ")[1].split(",")[0]) for node, plan in plans.items()}
        best = max(NODES, key=ends.get)
        interrupted = self.interrupt(best)
        restored = self.restore(best, "--yes")
        again = self.restore(best, "--yes")
        starts = cluster.log(best).count("listening on")
        cluster.start(best)
        await cluster.wait(best, "listening on", starts + 1)
        behind = {}
        for node in NODES:
            if node == best:
                continue
            before = len(cluster.log(node))
            starts = cluster.log(node).count("listening on")
            cluster.start(node)
            end = time.monotonic() + LIMIT
            while cluster.processes[node].poll() is None and cluster.log(node).count("listening on") == starts:
                if time.monotonic() > end:
                    raise SystemExit(f"{node} neither serves nor ends:\n{cluster.log(node)}")
                await asyncio.sleep(0.02)
            if cluster.processes[node].poll() is None:
                continue
            behind[node] = cluster.log(node)[before:]
            self.copy(best, node)
            cluster.start(node)
            await cluster.wait(node, "listening on", starts + 1)
        return {"refused": refused, "plans": plans, "ends": ends, "best": best, "interrupted": interrupted,
                "restored": restored, "again": again,
                "behind": behind, "verified": verified, "afterwards": {node: self.verify(node) for node in NODES}}


async def restore(program, etcd, directory, storectl):
    cluster = Cluster(program, etcd, directory)
    operator = Operator(cluster, storectl)
    clients = [Client(cluster, node) for node in NODES]

    async def stop():
        for node in NODES:
            await asyncio.to_thread(cluster.end, node)
        cluster.kill("etcd")

    try:
        cluster.start_alone("a")
        await cluster.wait("a", "listening on")
        await load(clients[:1])
        running = operator.run("copy", "--state-dir", cluster.path("a"), "--into", cluster.path("none"))
        await asyncio.to_thread(cluster.end, "a")

        cluster.start_etcd()
        cluster.configure("a")
        init = ["init", "--from-journal", "--state-dir", cluster.path("a"), "--config", cluster.path("a.conf")]
        operator.must(*init)
        twice = operator.run(*init)
        cluster.start("a")
        await cluster.wait("a", "listening on", 2)
        operator.copy("a", "b")
        for node in ("b", "c"):
            cluster.start(node)
        await cluster.wait("b", "listening on")
        # An empty node does not take the log for one that begins with its own state.
        await cluster.wait("c", "does not have entry 1 any more")
        cluster.kill("c")
        operator.copy("a", "c")
        cluster.start("c")
        await cluster.wait("c", "listening on")
        await load(clients)
        # The hubs run, and one more entry may be on its way.
        verified = {node: operator.verify(node) for node in NODES}
        damaged, mended = operator.damage()
        leader = None
        # A pause of the machine is a silence, after which another hub leads.
        while leader != (leader := await cluster.leader(NODES)):
            running_nodes = {node: operator.remove(node) for node in NODES}
        gone = next(node for node in NODES if node != leader)
        # It seems dead, and finds out when it goes on.
        cluster.processes[gone].send_signal(signal.SIGSTOP)
        removals = [operator.remove(gone), operator.remove(gone)]
        removed = operator.verify(leader, "--json")
        locked_out = {"status": await operator.status(leader, 1)}
        cluster.processes[gone].send_signal(signal.SIGCONT)
        ends = [await asyncio.to_thread(cluster.ended, gone)]
        cluster.start(gone)
        ends.append(await asyncio.to_thread(cluster.ended, gone))
        locked_out |= {"ends": ends, "log": cluster.log(gone)[-20_000:]}
        locked_out["additions"] = [operator.add(gone), operator.add(gone)]
        starts = cluster.log(gone).count("listening on")
        cluster.start(gone)
        await cluster.wait(gone, "listening on", starts + 1)
        verification = {
            "verified": verified, "damaged": damaged, "mended": mended, "runningNodes": running_nodes,
            "leader": leader, "gone": gone, "removals": removals, "removed": removed, "lockedOut": locked_out,
            "again": operator.verify(gone), "statusAgain": await operator.status(leader, 0),
        }

        await stop()
        shutil.copytree(cluster.path("etcd"), cluster.path("backup"))
        cluster.start_etcd()
        for node in NODES:
            starts = cluster.log(node).count("listening on")
            cluster.start(node)
            await cluster.wait(node, "listening on", starts + 1)
        await load(clients)
        await stop()
        shutil.rmtree(cluster.path("etcd"))
        os.rename(cluster.path("backup"), cluster.path("etcd"))
        cluster.start_etcd()
        older = await operator.repair()
        await load(clients)

        await stop()
        shutil.rmtree(cluster.path("etcd"))
        cluster.start_etcd()
        empty = await operator.repair()
        await load(clients)
        for node in NODES:
            await asyncio.to_thread(cluster.end, node)
        cut = await operator.cut()
        leaders = [await operator.mend_leader(clients, value) for value in (b"nonsense", None)]
        for node in NODES:
            await asyncio.to_thread(cluster.end, node)
        operator.etcd("put", key="storehub/history", value=b"nonsense")
        nameless = await operator.repair()
        await load(clients)
        result = await outcome(cluster, {client.node: client for client in clients}, [], [], 0)
        json.dump(result | {"running": running, "twice": twice, "older": older, "empty": empty,
                            "cut": cut, "leaders": leaders, "nameless": nameless, "verification": verification},
                  sys.stdout)
    finally:
        cluster.stop()


async def clock(program, etcd, directory, storectl, library):
    """The wall clock of one node is ahead of the others' by ten seconds, is set, and is then behind. The node leads for a
    while with the wrong clock."""
    cluster = Cluster(program, etcd, directory)
    operator = Operator(cluster, storectl)
    file = cluster.path("clock")

    def set_clock(seconds):
        with open(file, "r+b" if os.path.exists(file) else "wb") as opened:
            opened.write(struct.pack("=q", seconds * 10**9))

    async def statuses():
        command = "--json", "--socket"
        return {node: json.loads((await asyncio.to_thread(subprocess.run, [
            storectl, *command, cluster.path(f"{node}.sock"), "cluster", "status"], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LIMIT)).stdout)["clockDifferences"] for node in NODES}

    async def lead(node):
        if await cluster.leader(NODES) != node:
            leader = await cluster.leader(NODES)
            status, _, errors = await asyncio.to_thread(
                operator.run, "transfer", node, "--socket", cluster.path(f"{leader}.sock"))
            if status != 0:
                raise SystemExit(errors)
        await progress(clients.values(), tasks)

    async def told(count, text):
        for node in ("a", "b"):
            await cluster.wait(node, f"the clock of node c {text}", count)
        for other in ("a", "b"):
            await cluster.wait("c", f"the clock of node {other} {text}", count)

    try:
        set_clock(10)
        clients, tasks = await begin(cluster, {"c": {"LD_PRELOAD": library, "STOREHUB_TEST_CLOCK": file}})
        await told(1, "is ")
        ahead = await statuses()
        await lead("c")
        await lead("a")
        set_clock(0)
        await told(1, "agrees with")
        right = await statuses()
        set_clock(-10)
        await told(2, "is ")
        behind = await statuses()
        await lead("c")
        await lead("a")
        result = await outcome(cluster, clients, tasks, [], sum(client.losses for client in clients.values()))
        json.dump(result | {"ahead": ahead, "right": right, "behind": behind,
                            "verified": {node: operator.verify(node) for node in NODES},
                            "logs": {node: cluster.log(node) for node in NODES}}, sys.stdout)
    finally:
        cluster.stop()


async def schema(program, etcd, directory, storectl):
    """The hubs are upgraded one after the other, twice: to a version that migrates the state, and to one with a further
    field. Those that stand by are killed, lose their disk, and lack entries; the hub that leads is told to pass the
    leadership on the first time, and killed the second time."""
    cluster = Cluster(program, etcd, directory)
    operator = Operator(cluster, storectl)
    cluster.settings = "keep = 1M\n"
    versions = {}
    for version in (1, 2, 3):
        versions[version] = cluster.path(f"ledger{version}")
        os.symlink(program, versions[version])
    cluster.program = versions[1]
    sent, acknowledged, lost = {node: [] for node in NODES}, set(), 0
    ended, logs = {}, {}

    def action(text):
        return {"booked": text}

    async def quit(client):
        """Ends a client in order: its hub is to be stopped."""
        client.isStopping = True
        await asyncio.wait_for(tasks[client.node], LIMIT)
        acknowledged.update(client.acknowledged)

    def join(node):
        client = clients[node] = Client(cluster, node, action)
        # The texts of all clients of a node differ.
        client.sent = sent[node]
        tasks[node] = asyncio.create_task(client.run())
        return client

    async def state(node):
        async with storehub.connect(cluster.path(f"{node}.sock")) as hub:
            parts = {name: (await hub.attach(name)).value for name in ("entries", "total", "migrations", "note")}
            return parts

    async def stands_by(node, version):
        """Starts a version on a machine whose hub has ended, and waits until it stands by."""
        text = "this node stands by"
        before = cluster.log(node).count(text)
        cluster.program = versions[version]
        cluster.start(node)
        await cluster.wait(node, text, before + 1)

    async def goes_on(node):
        nonlocal lost
        losses = clients[node].losses
        await progress([clients[node]], [tasks[node]])
        lost += clients[node].losses - losses

    try:
        cluster.start_etcd()
        clients, tasks = {}, {}
        for node in NODES:
            cluster.start(node)
        for node in NODES:
            await cluster.wait(node, "listening on")
            join(node)
        await progress(clients.values(), list(tasks.values()))

        # A version that cannot read the state does not start, and the others go on.
        leader = await cluster.leader(NODES)
        first, second = [node for node in NODES if node != leader]
        await quit(clients[first])
        await asyncio.to_thread(cluster.end, first)
        cluster.program = versions[3]
        cluster.start(first)
        ended["unfit"] = await asyncio.to_thread(cluster.ended, first)
        logs["unfit"] = cluster.log(first)
        await goes_on(leader)

        # One follower of the new version, which is stopped and then killed while it stands by.
        await stands_by(first, 2)
        ended["standing by"] = await asyncio.to_thread(cluster.end, first)
        text = "the journal was not closed in order"
        unclean = [cluster.log(first).count(text)]
        await stands_by(first, 2)
        unclean.append(cluster.log(first).count(text))
        cluster.kill(first)
        await stands_by(first, 2)
        unclean.append(cluster.log(first).count(text))
        await goes_on(leader)
        # The other one has lost its disk, and begins when the log has its schema.
        await quit(clients[second])
        await asyncio.to_thread(cluster.end, second)
        cluster.lose_disk(second)
        starts = {node: cluster.log(node).count("listening on") for node in NODES}
        cluster.start(second)
        await cluster.wait(second, "is of another version of the feature, with another schema: asks node")
        await goes_on(leader)
        await quit(clients[leader])
        # The hub that answers this ends for it.
        operator.run("transfer", "--socket", cluster.path(f"{leader}.sock"), first)
        ended["old"] = await asyncio.to_thread(cluster.ended, leader)
        logs["old"] = cluster.log(leader)
        for node in (first, second):
            await cluster.wait(node, "listening on", starts[node] + 1)
        cluster.start(leader)
        await cluster.wait(leader, "listening on", starts[leader] + 1)
        for node in NODES:
            join(node)
        await progress(clients.values(), list(tasks.values()))
        migrated = {node: await state(node) for node in NODES}

        # The second time, the log does not have what the first one lacks, and the hub that leads dies.
        leader = await cluster.leader(NODES)
        first, second = [node for node in NODES if node != leader]
        await quit(clients[first])
        await asyncio.to_thread(cluster.end, first)
        # The conversion of such a state does not fit in one entry.
        await fill(cluster, leader, "schema", action)
        await trimmed(operator, leader, first)
        await stands_by(first, 3)
        # The client of this one stays: what it has sent is acknowledged after the change.
        await asyncio.to_thread(cluster.end, second)
        await stands_by(second, 3)
        await goes_on(leader)
        await quit(clients[leader])
        starts = {node: cluster.log(node).count("listening on") for node in NODES}
        cluster.kill(leader)
        for node in (first, second):
            await cluster.wait(node, "listening on", starts[node] + 1)
        cluster.start(leader)
        await cluster.wait(leader, "listening on", starts[leader] + 1)
        for node in (first, leader):
            join(node)
        await progress(clients.values(), list(tasks.values()))
        # A version without the new field says what it would lose, and changes nothing before it leads.
        await quit(clients[first])
        await asyncio.to_thread(cluster.end, first)
        await stands_by(first, 2)
        logs["earlier"] = cluster.log(first)
        await goes_on(second)
        cluster.kill(first)
        cluster.program = versions[3]
        starts = cluster.log(first).count("listening on")
        cluster.start(first)
        await cluster.wait(first, "listening on", starts + 1)
        for node in (second, leader):
            await quit(clients[node])
        end = time.monotonic() + LIMIT
        found = {node: await state(node) for node in NODES}
        while any(len(found[node]["entries"]) < len(acknowledged) for node in NODES) and time.monotonic() < end:
            found = {node: await state(node) for node in NODES}
        entries = {node: found[node]["entries"] for node in NODES}
        json.dump({
            "acknowledged": len(acknowledged), "ended": ended, "lost": lost, "logs": logs, "unclean": unclean,
            "missing": {node: len(acknowledged - set(list)) for node, list in entries.items()},
            "doubled": {node: len(list) - len(set(list)) for node, list in entries.items()},
            "differing": sum(found[node] != found[NODES[0]] for node in NODES),
            "miscounted": sum(part["total"] != len(part["entries"]) for part in found.values()),
            "migrations": [state["migrations"] for state in [*migrated.values(), *found.values()]],
            "verified": {node: operator.verify(node) for node in NODES}}, sys.stdout)
    finally:
        cluster.stop()


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[3:] == ["mistakes"]:
        asyncio.run(mistakes(*arguments[:3]))
    elif arguments[3:4] == ["away"]:
        asyncio.run(away(*arguments[:3], arguments[4]))
    elif arguments[3:4] == ["names"]:
        asyncio.run(names(*arguments[:3], arguments[4]))
    elif arguments[3:4] == ["renew"]:
        asyncio.run(renew(*arguments[:3], arguments[4]))
    elif arguments[3:4] == ["operate"]:
        asyncio.run(operate(*arguments[:3], arguments[4]))
    elif arguments[3:4] == ["restore"]:
        asyncio.run(restore(*arguments[:3], arguments[4]))
    elif arguments[3:4] == ["clock"]:
        asyncio.run(clock(*arguments[:3], *arguments[4:6]))
    elif arguments[3:4] == ["schema"]:
        asyncio.run(schema(*arguments[:3], arguments[4]))
    else:
        asyncio.run(main(*arguments[:3], int(arguments[3]) if len(arguments) > 3 else 1))
