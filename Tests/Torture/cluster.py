"""Three machines of a cluster under real faults, with clients on each.

    cluster.py --hub PATH [--kills N] [--seconds N] [--seed S] [FAULT...]

After each fault, all clients must get further. No hub may end by itself unless its disk is full, and no connection may
be closed by a hub that lives. In the end every acknowledged action is on every machine once and in order, and the turns
of the journals are the same at each position that two of them have. Exits with 1 on a violation.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import statistics
import sys
import tempfile
import time

from client import TimedAdder, Violation, check, texts, todo_action
from machines import Machine, Network, missing

LIMIT = 90.0


class Cluster:
    """The machines, their clients, and what was seen."""

    def __init__(self, arguments, directory):
        self.network = Network(directory)
        self.machines = [Machine(self.network, name, 1 + number, arguments) for number, name in enumerate("abc")]
        self.adders, self.results, self.restarts = [], [], []
        self.allowed_closed, self.has_full_disk = arguments.allow_closed, False
        self.was_etcd_full = False

    def start(self):
        for machine in self.machines:
            machine.configure(self.machines)
            machine.heal(self.machines)
        for machine in self.machines:
            machine.start()
        for machine in self.machines:
            adder = TimedAdder(
                f"client-{machine.name}", machine.socket, self.ready(machine), window=4, pause=0.01)
            adder.machine = machine
            self.adders.append(adder)
        for adder in self.adders:
            adder.start()

    def ready(self, machine):
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            try:
                return todo_action(machine.socket)
            except OSError:
                time.sleep(0.02)
        raise Violation(f"the hub of {machine.name} does not answer:\n{machine.log()[-3000:]}")

    @property
    def leader(self):
        """The machine that has last begun to lead, according to the logs."""
        terms = {}
        for machine in self.machines:
            for line in machine.log().splitlines():
                if "leads in term" in line:
                    terms[int(line.rsplit(" ", 1)[1])] = machine
        if not terms:
            raise Violation("no hub has ever led")
        return terms[max(terms)]

    def victim(self):
        """The leader in two of three cases."""
        return self.leader if random.random() < 2 / 3 else random.choice(self.machines)

    def others(self, machine):
        return [other for other in self.machines if other is not machine]

    def progress(self, adders=None, count=20):
        """Waits until the clients have further acknowledgements, and starts again what has ended."""
        adders = adders or self.adders
        goals = [(adder, adder.applied + count) for adder in adders]
        deadline = time.monotonic() + LIMIT
        while behind := [adder for adder, goal in goals if adder.applied < goal]:
            for adder in behind:
                if adder.violations or not adder.is_alive():
                    raise Violation(f"{adder.name}: {adder.violations or 'has ended'}")
            if time.monotonic() > deadline:
                logs = "\n".join(f"{machine.name}: {machine.log()[-2000:]}" for machine in self.machines)
                raise Violation(f"{[adder.name for adder in behind]} get no further in {LIMIT:.0f} s:\n{logs}")
            self.restart_ended()
            time.sleep(0.01)

    def progress_of_one(self):
        """Waits until a client has a further acknowledgement."""
        before = [adder.applied for adder in self.adders]
        deadline = time.monotonic() + LIMIT
        while [adder.applied for adder in self.adders] == before:
            if time.monotonic() > deadline:
                raise Violation(f"no client gets further in {LIMIT:.0f} s")
            self.restart_ended()
            time.sleep(0.01)

    def restart_ended(self):
        for machine in self.machines:
            for kind, name, status in machine.restart_ended():
                self.restarts.append(f"{kind} of {name}: status {status}")
                # By a signal means by a trap, which nothing excuses.
                if kind == "hub" and (status < 0 or not self.has_full_disk):
                    raise Violation(f"the hub of {name} has ended with status {status}:\n{machine.log()[-3000:]}")

    def observe(self, name, machine, fault, heal, whose="others"):
        """Causes a fault of a machine and ends it; notes what the clients notice.

        `whose` clients must get further during the fault: those of the `others`, `all`, `any` of all, or `none`.
        """
        leads, hub = machine is self.leader, machine.hub
        elsewhere = [adder for adder in self.adders if adder.machine is not machine]
        own = next(adder for adder in self.adders if adder.machine is machine)
        for adder in self.adders:
            adder.slowest, adder.ends = 0.0, []
        begin = time.time()
        fault()
        if whose == "others":
            self.progress(elsewhere)
        elif whose == "all":
            self.progress()
        elif whose == "any":
            self.progress_of_one()
        gap = max(adder.slowest for adder in elsewhere)
        # The last election of etcd before clients got further.
        end = time.time()
        elections = [at - begin for other in self.others(machine) for at in other.elections() if begin <= at <= end]
        heal()
        self.progress()
        if whose in ("any", "none"):
            # They have waited for the end of the fault.
            gap = max(adder.slowest for adder in elsewhere)
        ends = [f"{adder.name}: {end}" for adder in elsewhere for end in adder.ends]
        # A hub that has ended has no connections to keep.
        own_ends = [f"{own.name}: {end}" for end in own.ends if machine.hub is hub]
        self.results.append({
            "fault": name, "leads": leads, "gap": round(gap, 3), "election": round(max(elections, default=0), 3),
            "closed": len(ends), "ends": ends, "own closed": len(own_ends), "own ends": own_ends})
        etcd = f" (etcd's leader after {max(elections) * 1000:.0f} ms)" if elections else ""
        print(f"  {len(self.results)}: {name} of {machine.name}{', which leads' if leads else ''}: {gap * 1000:.0f} ms"
              f"{etcd}, {len(ends) + len(own_ends)} connections closed {ends + own_ends or ''}", flush=True)

    # Faults

    def kill(self):
        machine = self.victim()
        self.observe("kill", machine, machine.kill, machine.start)

    def power(self):
        machine = self.victim()

        def heal():
            machine.heal(self.machines)
            machine.mount()
            machine.start()

        self.observe("power", machine, machine.lose_power, heal)

    def disk(self):
        """A machine is lost with its disk, and a new one takes its place."""
        machine = self.victim()

        def heal():
            machine.replace_member(self.others(machine)[0])
            machine.heal(self.machines)
            machine.start()
            machine.wait_for_member()
            if self.was_etcd_full:
                # It repeats all writes faster than it compacts, and may be full on the way, which stops all members.
                machine.clear_alarm(self.machines)

        self.observe("disk", machine, machine.lose_disk, heal)

    def stop(self):
        machine = self.victim()

        def fault():
            machine.signal(signal.SIGSTOP)
            time.sleep(random.uniform(0.2, 4))

        self.observe("stop", machine, fault, lambda: machine.signal(signal.SIGCONT))

    def partition(self):
        """Cuts one direction between a machine and the others, or both."""
        machine, way = self.victim(), random.choice(["out", "in", "both"])
        others = self.others(machine)

        def fault():
            if way != "in":
                machine.cut(*others)
            if way != "out":
                for other in others:
                    other.cut(machine)
            time.sleep(random.uniform(1, 4))

        self.observe(f"partition {way}", machine, fault, self.heal_network)

    def heal_network(self):
        for machine in self.machines:
            machine.heal(self.machines)

    def one_way(self):
        """Cuts one direction between two machines, while the third reaches both. The hubs of the two have no link then,
        so that the clients of one of them may have to wait."""
        machine = self.victim()
        other = random.choice(self.others(machine))
        sender, receiver = random.choice([(machine, other), (other, machine)])

        def fault():
            sender.cut(receiver)
            time.sleep(random.uniform(2, 6))

        self.observe(f"one way {sender.name} to {receiver.name}", machine, fault, self.heal_network, whose="any")

    def no_etcd(self):
        """A hub reaches the other hubs but not etcd: what it asks is lost, refused, or done without an answer."""
        machine, way = self.victim(), random.choice(["lost", "refused", "unanswered"])
        rule = {"lost": "output tcp dport 2379 drop", "refused": "output tcp dport 2379 reject with tcp reset",
                "unanswered": "input tcp sport 2379 drop"}[way]

        def fault():
            machine.filter(rule)
            time.sleep(random.uniform(1, 6))

        self.observe(f"no etcd, {way},", machine, fault, self.heal_network)

    def no_links(self):
        """A hub reaches etcd but no other hub, in one way or both. If it leads, the clients of the others wait."""
        machine, way = self.victim(), random.choice(["out", "in", "both"])
        hooks = {"out": ["output"], "in": ["input"], "both": ["output", "input"]}[way]

        def fault():
            machine.filter(*(f"{hook} tcp {port} 7400 drop" for hook in hooks for port in ("dport", "sport")))
            time.sleep(random.uniform(1, 6))

        self.observe(f"no links {way}", machine, fault, self.heal_network, whose="any")

    def member(self):
        """Kills the member of etcd of a machine, whose hub lives and uses the others."""
        machine = self.victim()
        self.observe("member", machine, lambda: machine.kill("etcd"), machine.start_etcd, whose="all")

    def hang(self):
        """Stops the member of etcd of a machine or its hub, while the other one goes on."""
        machine, kind = self.victim(), random.choice(["hub", "etcd"])

        def fault():
            machine.signal(signal.SIGSTOP, kind)
            time.sleep(random.uniform(0.2, 6))

        self.observe(f"hang of the {kind}", machine, fault, lambda: machine.signal(signal.SIGCONT, kind),
                     whose="all" if kind == "etcd" else "others")

    def hub(self):
        """Kills the hub of a machine, whose member of etcd lives."""
        machine = self.victim()
        self.observe("hub", machine, lambda: machine.kill("hub"), machine.start_hub)

    def quorum(self):
        """Kills the members of etcd of two machines. All hubs live and all clients wait."""
        machine = self.victim()
        lost = [machine, random.choice(self.others(machine))]

        def fault():
            for each in lost:
                each.kill("etcd")
            time.sleep(random.uniform(1, 8))

        def heal():
            for each in lost:
                each.start_etcd()

        self.observe("quorum", machine, fault, heal, whose="none")

    def full_etcd(self):
        """Fills etcd, so that all clients wait until the operator makes room."""
        machine = self.victim()
        self.was_etcd_full = True

        def fault():
            machine.fill_etcd()
            time.sleep(random.uniform(0, 3))

        self.observe("full etcd", machine, fault, lambda: machine.make_room_in_etcd(self.machines), whose="none")

    def full_disk(self):
        machine = self.victim()

        def fault():
            self.has_full_disk = True
            machine.fill()
            time.sleep(random.uniform(1, 3))

        self.observe("full disk", machine, fault, machine.make_room)
        self.has_full_disk = False

    def storm(self):
        """Several faults at once, of any machines, for some seconds. Clients may notice all of it."""
        faults = (
            lambda machine: machine.kill("hub"), lambda machine: machine.kill("etcd"), Machine.start, Machine.start,
            lambda machine: machine.signal(signal.SIGSTOP), lambda machine: machine.signal(signal.SIGCONT),
            lambda machine: machine.signal(signal.SIGSTOP, "hub"), lambda machine: machine.cut(*self.others(machine)),
            lambda machine: machine.cut(random.choice(self.others(machine))),
            lambda machine: machine.filter("input tcp sport 2379 drop"), lambda machine: machine.heal(self.machines),
            self.restart_after_power)
        end = time.monotonic() + random.uniform(4, 12)
        count = 0
        while time.monotonic() < end:
            random.choice(faults)(self.victim())
            count += 1
            time.sleep(random.uniform(0, 1))
        self.heal_network()
        for machine in self.machines:
            machine.signal(signal.SIGCONT)
            machine.start()
        begin = time.monotonic()
        self.progress()
        gap = time.monotonic() - begin
        self.results.append({"fault": "storm", "leads": False, "gap": round(gap, 3), "closed": 0, "ends": [],
                             "own closed": 0, "own ends": []})
        print(f"  {len(self.results)}: storm of {count} faults: all go on after {gap * 1000:.0f} ms", flush=True)

    def restart_after_power(self, machine):
        machine.lose_power()
        machine.heal(self.machines)
        machine.mount()
        machine.start()

    # The end

    def finish(self):
        """Waits for the outcome of every action; returns the number of actions, and the hash of the journals' turns."""
        for adder in self.adders:
            adder.is_draining.set()
        deadline = time.monotonic() + LIMIT
        while any(adder.is_alive() for adder in self.adders) and time.monotonic() < deadline:
            self.restart_ended()
            time.sleep(0.05)
        for adder in self.adders:
            adder.drain()
        sent = sum(len(adder.sent) for adder in self.adders)
        found = {}
        for machine in self.machines:
            while True:
                found[machine.name] = texts(machine.socket)
                if len(found[machine.name]) >= sent or time.monotonic() > deadline:
                    break
                time.sleep(0.1)
            check(self.adders, found[machine.name])
        first = found[self.machines[0].name]
        if any(other != first for other in found.values()):
            raise Violation("the machines have different states")
        for machine in self.machines:
            machine.hub.send_signal(signal.SIGTERM)
        for machine in self.machines:
            machine.hub.wait(60)
        positions = compare_journals(self.machines)
        for machine in self.machines:
            # With its place in the log and the checksum of all entries up to there.
            if reason := machine.verify():
                raise Violation(f"the journal of {machine.name} and the log do not belong together:\n{reason}")
        closed = sum(each["closed"] + each["own closed"] for each in self.results)
        if closed > self.allowed_closed:
            raise Violation(f"{closed} connections were closed by hubs that live: "
                            f"{[end for each in self.results for end in each['ends'] + each['own ends']]}")
        return len(first), positions


def compare_journals(machines):
    """Compares the hash of the turn at each position that two journals have, and that no journal lacks one between."""
    columns = "position, base_revision, revision, time_ms, actions, delta, sessions"
    hashes = []
    for machine in machines:
        database = sqlite3.connect(os.path.join(machine.disk, "hub", "journal.db"))
        hashes.append({
            row[0]: hashlib.sha256(repr(row).encode()).hexdigest()
            for row in database.execute(f"SELECT {columns} FROM turns")})
        database.close()
    compared = 0
    for position in sorted(set().union(*hashes)):
        found = [each[position] for each in hashes if position in each]
        if len(set(found)) > 1:
            raise Violation(f"the journals have different turns at position {position}")
        compared += len(found) > 1
    for machine, positions in zip(machines, hashes):
        if len(positions) != max(positions) - min(positions) + 1:
            raise Violation(f"the journal of {machine.name} lacks turns")
    if not compared:
        raise Violation("the journals have no position in common")
    return compared


OTHERS = ("stop", "partition", "full_disk", "one_way", "no_etcd", "no_links", "member", "hang", "hub",
          "quorum", "full_etcd", "storm")
FAULTS = {name.replace("_", "-"): getattr(Cluster, name) for name in ("kill", "power", "disk", *OTHERS)}
KILLS = ("kill", "power", "disk")


def schedule(arguments):
    """The faults in order: as many kills as asked for, every second one with a loss of power or of the disk in turn, and
    the others between them."""
    if arguments.faults:
        return [random.choice(arguments.faults) for _ in range(arguments.kills)]
    plan = []
    for number in range(arguments.kills):
        plan.append(("kill", "power", "kill", "disk")[number % 4])
        if number % 2:
            plan.append(OTHERS[number // 2 % len(OTHERS)].replace("_", "-"))
    return plan


def summary(results, restarts, actions, positions):
    kills = [each for each in results if each["fault"] in KILLS]
    leading = [each["gap"] for each in kills if each["leads"]]
    text = {
        "faults": len(results), "kills": len(kills), "of the leader": len(leading), "actions": actions,
        "positions compared": positions, "closed at kills": sum(each["closed"] for each in kills),
        "closed at other faults": sum(each["closed"] for each in results) - sum(each["closed"] for each in kills),
        "closed on the machine itself": sum(each["own closed"] for each in results),
        "replaced members": sum(each["fault"] == "disk" for each in results), "restarts": len(restarts),
    }
    if kills:
        text["gap p50"] = statistics.median(each["gap"] for each in kills)
        text["gap max"] = max(each["gap"] for each in kills)
    if leading:
        text["gap p50, leader"] = statistics.median(leading)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hub", required=True, metavar="PATH", help="the storehubd to run")
    parser.add_argument("--storectl", metavar="PATH", help="verifies each journal and the log in the end")
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="how many machines are killed; default 20")
    parser.add_argument("--seconds", type=float, default=3600, metavar="N", help="begin no fault after this time")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), metavar="S", help="seed of the faults")
    parser.add_argument("--allow-closed", type=int, default=0, metavar="N",
                        help="how many connections hubs that live may close; default 0. On a starved machine, a hub "
                        "that cannot store anything is deposed")
    parser.add_argument("--json", metavar="FILE", help="write each fault with its gap")
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=f"of {', '.join(FAULTS)}; default all in turn")
    arguments = parser.parse_args()
    if unknown := set(arguments.faults) - set(FAULTS):
        parser.error(f"no fault {', '.join(sorted(unknown))}; there are {', '.join(FAULTS)}")
    if reason := missing():
        sys.exit(f"torture-cluster: {reason}")
    random.seed(arguments.seed)
    print(f"seed {arguments.seed}", flush=True)
    # So that what this has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    directory = tempfile.mkdtemp(prefix="storehub-cluster-")
    cluster = Cluster(arguments, directory)
    end = time.monotonic() + arguments.seconds
    try:
        cluster.start()
        cluster.progress()
        for name in schedule(arguments):
            if time.monotonic() > end:
                break
            FAULTS[name](cluster)
        result = summary(cluster.results, cluster.restarts, *cluster.finish())
    except Violation as violation:
        print(f"FAILED: {violation}\n  logs in {directory}", flush=True)
        sys.exit(1)
    finally:
        for adder in cluster.adders:
            adder.is_stopping.set()
        for machine in cluster.machines:
            machine.close()
        if arguments.json:
            with open(arguments.json, "w") as file:
                json.dump({"results": cluster.results, "restarts": cluster.restarts}, file)
    shutil.rmtree(directory, ignore_errors=True)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
