"""Two stores of three hubs each share an etcd on this machine: their logs do not mix, and their leaders spread.

    stores.py STOREHUBD ETCD DIRECTORY STORECTL

Prints one JSON object. Clients of each hub send actions all the time, with the same texts in both stores, so that a
text of the other one would be doubled. An operator looks at both stores and has their
leaders spread, first while one node leads both, then while a node is away. Then a hub of one store is stopped while the
other store writes more than etcd keeps of it, and etcd forgets all that is older. At last, a hub with a prefix below
that of another store is started with an empty disk.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time

from cluster import LIMIT, NODES, Cluster, Operator, begin, compact, disturb, fill, outcome, progress, restart


# No hub takes over by itself, also on a busy machine: the operator decides who leads.
PATIENT = "takeover-after = 5s\n"


class Shared(Cluster):
    """A store in the etcd of another one."""

    def __init__(self, other, name):
        super().__init__(other.program, other.etcd, other.path(name))
        os.mkdir(self.directory)
        self.client_port = other.client_port
        self.settings = f"prefix = {name}/\n{PATIENT}"

    def start_etcd(self):
        pass


def run(storectl, *arguments):
    result = subprocess.run(
        [storectl, *arguments], timeout=LIMIT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return {"status": result.returncode, "output": result.stdout, "errors": result.stderr}


async def main(program, etcd, directory, storectl):
    kitchen = Cluster(program, etcd, directory)
    kitchen.settings = f"prefix = kitchen/\nkeep = 1M\n{PATIENT}"
    office = Shared(kitchen, "office")
    stores = {"kitchen": kitchen, "office": office}

    async def control(store, node, *arguments):
        socket = stores[store].path(f"{node}.sock")
        return await asyncio.to_thread(run, storectl, "--json", "--socket", socket, "cluster", *arguments)

    async def operate(*arguments, node="a"):
        return await asyncio.to_thread(
            run, storectl, "--json", "cluster", *arguments, "--config", kitchen.path(f"{node}.conf"))

    async def leaders():
        return {name: await store.leader(NODES) for name, store in stores.items()}

    async def lead(store, node):
        """Has a node lead a store."""
        end = time.monotonic() + LIMIT
        while (leader := await stores[store].leader(NODES)) != node:
            await control(store, leader, "transfer", node)
            if time.monotonic() > end:
                raise SystemExit(f"{node} does not lead {store}:\n{stores[store].log(node)}")
            await asyncio.sleep(0.1)

    async def linked(store, node):
        """Waits until the hub that leads has a link to a node, whose journal has the log."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            report = json.loads((await operate("status", "--all"))["output"])
            found = {one["store"]: one for one in report["stores"]}[f"{store}/"]
            if any(one["node"] == node and one["canLead"] for one in found["nodes"] or []):
                return
            await asyncio.sleep(0.1)
        raise SystemExit(f"{store} is not linked with {node}: {report}")

    try:
        clients, tasks = {}, {}
        for name, store in stores.items():
            clients[name], tasks[name] = await begin(store)
        everyone = [client for store in clients.values() for client in store.values()]
        working = [task for store in tasks.values() for task in store]
        result = {}

        # One node leads both stores.
        first = (await leaders())["kitchen"]
        await lead("office", first)
        for name in stores:
            for node in NODES:
                await linked(name, node)
        result["status"] = await operate("status", "--all")
        result["plan"] = await operate("balance", node="b")
        moves = []

        def balance():
            moves.append(
                run(storectl, "--json", "cluster", "balance", "--yes", "--config", kitchen.path("c.conf")))

        gap, lost = await disturb(everyone, working, balance)
        result["spread"] = {"before": first, "leaders": await leaders()}
        result["again"] = await operate("balance", "--yes")
        result["unknown"] = await operate("balance", "nowhere")

        # One node leads both again, another one is away, so that the third takes one of them.
        leader = (await leaders())["kitchen"]
        await lead("office", leader)
        away, third = [node for node in NODES if node != leader]
        for store in stores.values():
            await asyncio.to_thread(store.kill, away)
        for name in stores:
            await linked(name, third)
        others = [client for client in everyone if client.node != away]
        gap_away, more = await disturb(others, working, balance)
        lost += more
        result["away"] = {"node": away, "third": third, "before": leader, "leaders": await leaders()}
        for name, store in stores.items():
            await restart(store, away, clients[name], tasks[name])

        # A hub of the office sees nothing, while the kitchen writes what etcd does not keep.
        led = await leaders()
        node = next(node for node in NODES if node != led["office"])
        # The client of that hub may take it for dead.
        served = [client for client in everyone if client is not clients["office"][node]]
        losses = sum(client.losses for client in served)
        process = office.processes[node]
        process.send_signal(signal.SIGSTOP)
        try:
            await fill(kitchen, led["kitchen"], "shared", count=10)
            await progress(served, working)
            await asyncio.to_thread(compact, kitchen)
        finally:
            process.send_signal(signal.SIGCONT)
        await progress(everyone, working)
        result["stopped"] = {"ended": process.poll(), "lost": sum(client.losses for client in served) - losses}

        # A prefix within that of another store.
        inner = Shared(kitchen, "inner")
        inner.settings = "prefix = kitchen/inner/\n"
        inner.start("a")
        result["inner"] = {"status": await asyncio.to_thread(inner.ended, "a"), "log": inner.log("a")}

        result["outcomes"] = {
            name: await outcome(store, clients[name], tasks[name], [gap, gap_away], lost)
            for name, store in stores.items()}
        result["moves"] = moves
        result["verified"] = {
            name: {node: await asyncio.to_thread(Operator(store, storectl).verify, node) for node in NODES}
            for name, store in stores.items()}
        json.dump(result, sys.stdout)
    finally:
        office.stop()
        kitchen.stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:5]))
