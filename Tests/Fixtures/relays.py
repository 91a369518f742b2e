"""Relays in two levels below three hubs with an etcd, all on this machine.

    relays.py STOREHUBD ETCD DIRECTORY test STORECTL OPENSSL

Prints one JSON object. Relay d follows node a, and relay e follows d or else b. All use TLS, and each machine has users
of its own. Clients of e and of the three hubs send actions all the time. As root, another user, who has rights on the
machine of e only, tries actions there and on that of d. Then d is killed, so that e follows b, and starts again, so that e goes back to it; d is stopped
without an end, which is a silence; the hub that leads is killed; and e loses its disk. "lost" counts how often the
clients of nodes that live lost their connections, "slowest" has how long those of e waited after each fault, and
"follows" which nodes e has followed, as its log tells. "senders" are the users of all actions in the log of the hub that
leads at the end, "others" is what the other user was told. "warned"
are the nodes whose logs say that a certificate expires: that of e has ten days left.

    relays.py STOREHUBD ETCD DIRECTORY measure SECONDS

Nine relays: three below the three hubs, and six below those. A client of the hub that leads adds a todo each 50 ms, and
a client of each node sees them: the output has for each level the milliseconds from the sending to the sight of a todo,
the middle of them and the one of 99 in 100. Then the clients of all relays send actions while each upper relay and the
hub that leads are killed and started again, and the output has what was lost or doubled.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import storehub
from cluster import (
    BASES, LIMIT, NODES, Certificates, Client, Cluster, disturb, free_ports, progress, restart, separate, texts, todo)

# A user who has rights on one machine.
OTHER = 4242


class Relays(Cluster):
    """Three members, and relays with the nodes that each may follow."""

    def __init__(self, program, etcd, directory, follows, certificates=None):
        super().__init__(program, etcd, directory, certificates)
        self.follows = follows
        # Further sections of the configuration of a node.
        self.rights = {}
        addresses = dict(part.split("@") for part in self.links.split(","))
        for name, port in zip(follows, free_ports(len(follows))):
            addresses[name] = f"127.0.0.1:{port}"
        self.addresses = addresses

    @property
    def nodes(self):
        return [*NODES, *self.follows]

    def below(self, node):
        """The relays that a node has to know: a member all, and a relay those that may follow it and those below them."""
        if node in NODES:
            return sorted(self.follows)
        found, added = set(), {node}
        while added:
            added = {name for name, nodes in self.follows.items() if set(nodes) & added} - found
            found |= added
        return sorted(found)

    def configure(self, node, links=None):
        relays = self.below(node)
        if node in NODES:
            lines = [f"nodes = {self.links}", f"etcd = {self.endpoint}"]
        else:
            names = list(self.follows[node]) + ([node] if relays else [])
            lines = [f"nodes = {', '.join(f'{name}@{self.addresses[name]}' for name in names)}",
                     f"follow = {', '.join(self.follows[node])}"]
        if relays:
            lines.append(f"relays = {', '.join(relays)}")
        with open(self.path(f"{node}.conf"), "w") as file:
            file.write("\n".join(["[cluster]", f"node = {node}", *lines, self.uids, self.settings]))
            file.write(self.certificates.settings(node) if self.certificates else "")
            file.write(self.rights.get(node, ""))

    async def begin(self):
        self.start_etcd()
        for node in self.nodes:
            self.start(node)
        for node in self.nodes:
            await self.wait(node, "listening on")

    def stop(self):
        if sys.exc_info()[0] is not None:
            for node in self.follows:
                if os.path.exists(self.path(f"{node}.log")):
                    print(f"log of {node}, the end:\n{self.log(node)[-4000:]}", file=sys.stderr)
        super().stop()


async def found_everywhere(cluster, acknowledged):
    """The todos of each node, once all have these, or after a time."""
    end = time.monotonic() + LIMIT
    while True:
        found = {node: await texts(cluster, node) for node in cluster.nodes}
        if all(acknowledged <= set(list) for list in found.values()) or time.monotonic() > end:
            return found
        await asyncio.sleep(0.05)


async def outcome(cluster, clients, tasks):
    for client in clients:
        client.isStopping = True
    await asyncio.wait_for(asyncio.gather(*tasks), LIMIT)
    acknowledged = [text for client in clients for text in client.acknowledged]
    found = await found_everywhere(cluster, set(acknowledged))
    return {
        "acknowledged": len(acknowledged),
        "missing": {node: len(set(acknowledged) - set(list)) for node, list in found.items()},
        "doubled": {node: len(list) - len(set(list)) for node, list in found.items()},
        "differing": sum(list != found[NODES[0]] for list in found.values()),
    }


def send_as_other(cluster, storectl, node, *action):
    """The status of another user's command, and what it says; nothing unless this is root."""
    setpriv = shutil.which("setpriv")
    if os.getuid() != 0 or not setpriv:
        return None
    result = subprocess.run(
        [setpriv, "--reuid", str(OTHER), "--regid", str(OTHER), "--clear-groups", storectl, "--socket",
         cluster.path(f"{node}.sock"), "send", *action],
        timeout=LIMIT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return [result.returncode, result.stderr]


def senders(cluster, storectl, node):
    """The users of the actions in a hub's journal, by what they have sent: the first word of a todo, or else its name."""
    result = subprocess.run(
        [storectl, "log", "--json", "--state-dir", cluster.path(node)], timeout=LIMIT, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=True)
    found = {}
    for turn in map(json.loads, result.stdout.splitlines()):
        for action in turn["actions"]:
            if action["user"] is not None:
                text = action["action"].get("todos", {}).get("addButtonTapped", "other")
                found.setdefault(text.split(" ")[0], set()).add(action["user"])
    return {name: sorted(users) for name, users in found.items()}


async def test(program, etcd, directory, storectl, openssl):
    follows, bases = {"d": ["a"], "e": ["d", "b"]}, BASES | {"d": 1_500_000_000, "e": 2_000_000_000}
    certificates = Certificates(openssl, os.path.join(directory, "certificates"), list(bases))
    certificates.make("relays", days={"e": 10})
    cluster = Relays(program, etcd, directory, follows, certificates)
    cluster.uids = separate(bases)
    # Only rights keep others away.
    cluster.options = ["--mode", "666"]
    cluster.rights["e"] = f"[user {OTHER}]\nread = all\nact = counter\n"
    try:
        await cluster.begin()
        clients = {node: Client(cluster, node, pause=0.05) for node in (*NODES, "e")}
        # It may have been ready before d was.
        await cluster.wait("e", "this relay follows node d")
        first = cluster.log("e").count("this relay follows node b")
        tasks = [asyncio.create_task(client.run()) for client in clients.values()]
        await progress(clients.values(), tasks)
        result = subprocess.run(
            [storectl, "--socket", cluster.path("e.sock"), "--json", "cluster", "status"], timeout=LIMIT,
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        status = json.loads(result.stdout) if result.returncode == 0 else result.stderr

        others = [await asyncio.to_thread(send_as_other, cluster, storectl, *arguments) for arguments in (
            ("e", "counter.incrementButtonTapped"), ("e", "todos.addButtonTapped", "no"),
            ("d", "counter.incrementButtonTapped"))]
        slowest, lost = [], 0

        async def fault(function, *arguments, but=None):
            nonlocal lost
            alive = [client for node, client in clients.items() if node != but]
            slow, count = await disturb(alive, tasks, function, *arguments)
            slowest.append(round(slow, 3))
            lost += count

        await fault(cluster.kill, "d")
        await restart(cluster, "d", clients, tasks)
        await cluster.wait("e", "this relay follows node d", 2)
        await progress(clients.values(), tasks)
        await fault(cluster.processes["d"].send_signal, signal.SIGSTOP)
        await cluster.wait("e", "this relay follows node b", first + 2)
        cluster.processes["d"].send_signal(signal.SIGCONT)
        leader = await cluster.leader(NODES)
        await fault(cluster.kill, leader, but=leader)
        await restart(cluster, leader, clients, tasks)
        await progress(clients.values(), tasks)

        before = list(clients["e"].acknowledged)
        cluster.kill("e")
        cluster.lose_disk("e")
        await restart(cluster, "e", clients, tasks)
        seen = set(await texts(cluster, "e"))
        result = await outcome(cluster, list(clients.values()), tasks)
        follows = [line.split("follows node ")[1].split(",")[0]
                   for line in cluster.log("e").splitlines() if "this relay follows node " in line]
        follows = follows[follows.index("d"):]
        json.dump(result | {
            "lost": lost, "slowest": slowest, "follows": follows, "status": status, "others": others,
            "senders": await asyncio.to_thread(senders, cluster, storectl, await cluster.leader(NODES)),
            "expectedSenders": {node: [bases[node] + os.getuid()] for node in clients}
            | ({"other": [bases["e"] + OTHER]} if others[0] else {}),
            "forgotten": len(set(before) - seen), "ofRelay": len(clients["e"].acknowledged),
            "warned": [node for node in cluster.nodes if "expires" in cluster.log(node)],
            "logs": {node: cluster.log(node) for node in ("d", "e")}}, sys.stdout)
    finally:
        cluster.stop()


async def watch(cluster, node, sent, delays):
    async with storehub.connect(cluster.path(f"{node}.sock"), shortest_delay=0.02) as hub:
        part = await hub.attach("todos.todos")
        seen = set()
        async for value in part.values():
            now = time.monotonic()
            new = {item["text"] for item in value} - seen
            delays += [now - sent[text] for text in new if text in sent]
            seen |= new


async def freshness(cluster, leader, seconds):
    """The delays of each level in milliseconds: the middle, and 99 of 100."""
    sent, delays = {}, {node: [] for node in cluster.nodes}
    watching = [asyncio.create_task(watch(cluster, node, sent, delays[node])) for node in cluster.nodes]
    await asyncio.sleep(1)
    end, pending = time.monotonic() + seconds, []
    async with storehub.connect(cluster.path(f"{leader}.sock")) as hub:
        while time.monotonic() < end:
            text = f"time {len(sent)}"
            sent[text] = time.monotonic()
            pending.append(asyncio.ensure_future(hub.send(todo(text))))
            await asyncio.sleep(0.05)
        await asyncio.gather(*pending)
    await asyncio.sleep(1)
    for task in watching:
        task.cancel()
    levels = {
        "leader": [leader], "followers": [node for node in NODES if node != leader],
        "level 1": [node for node in cluster.follows if len(node) == 1],
        "level 2": [node for node in cluster.follows if len(node) == 2]}
    figures = {}
    for level, nodes in levels.items():
        all = sorted(delay for node in nodes for delay in delays[node])
        figures[level] = {
            "count": len(all), "p50": round(1000 * all[len(all) // 2], 1),
            "p99": round(1000 * all[len(all) * 99 // 100], 1)}
    return figures


async def measure(program, etcd, directory, seconds):
    follows = {"d": ["a", "b"], "e": ["b", "c"], "f": ["c", "a"]}
    # The preferred one of each pair is another one.
    for upper, next in (("d", "e"), ("e", "f"), ("f", "d")):
        for number in (1, 2):
            follows[f"{upper}{number}"] = [upper, next]
    cluster = Relays(program, etcd, directory, follows)
    try:
        await cluster.begin()
        leader = await cluster.leader(NODES)
        figures = await freshness(cluster, leader, seconds)
        clients = {node: Client(cluster, node, pause=0.2) for node in follows}
        tasks = [asyncio.create_task(client.run()) for client in clients.values()]
        await progress(clients.values(), tasks, 3)
        slowest, lost = [], 0
        for node in ("d", "e", "f", leader):
            alive = [client for name, client in clients.items() if name != node]
            slow, count = await disturb(alive, tasks, cluster.kill, node)
            slowest.append(round(slow, 3))
            lost += count
            await restart(cluster, node, clients, tasks)
        result = await outcome(cluster, list(clients.values()), tasks)
        json.dump({"freshness": figures, "slowest": slowest, "lost": lost} | result, sys.stdout, indent=2)
        print()
    finally:
        cluster.stop()


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[3] == "test":
        asyncio.run(test(*arguments[:3], *arguments[4:6]))
    else:
        asyncio.run(measure(*arguments[:3], float(arguments[4])))
