"""Real processes under real faults: kills, stops, a full disk, no descriptors, no memory.

    torture.py --hub PATH [--crashing PATH] [--cycles N] [--seed S] [SCENARIO...]

Each scenario starts the hub on a state directory of its own, loads it with clients that reconnect and send again what has no
outcome, and checks that everything acknowledged is there once, in order, and nothing twice. Exits with 1 on a violation.
"""

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from client import Adder, Violation, check, schema_of, state_of, texts, todo_action


class Hub:
    """The daemon with a state directory."""

    def __init__(self, program, directory, state=None, *options):
        self.program, self.options = program, options
        self.socket = os.path.join(directory, "hub.sock")
        self.state = state or os.path.join(directory, "state")
        self.errors = os.path.join(directory, "hub.log")
        self.process = None

    def start(self, limits=()):
        def prepare():
            for kind, value in limits:
                resource.setrlimit(kind, (value, value))

        command = [self.program, "--socket", self.socket, "--state-dir", self.state, *self.options]
        with open(self.errors, "ab") as errors:
            environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
            self.process = subprocess.Popen(command, stderr=errors, stdout=errors, preexec_fn=prepare, env=environment)
        return self

    def wait_until_ready(self, timeout=60, action=todo_action):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Violation(f"the hub ended with status {self.process.returncode}:\n{self.tail()}")
            try:
                return action(self.socket)
            except OSError:
                time.sleep(0.005)
        raise Violation(f"the hub does not answer after {timeout} s:\n{self.tail()}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(30) != 0:
            raise Violation(f"the hub stopped with status {self.process.returncode}:\n{self.tail()}")

    def tail(self):
        with open(self.errors, "rb") as errors:
            return errors.read()[-2000:].decode(errors="replace")


def finish(hub, adders):
    """Waits for the outcome of every action, and checks the whole state."""
    for adder in adders:
        adder.drain()
    found = texts(hub.socket)
    check(adders, found)
    unknown = set(found) - {text for adder in adders for text in adder.sent}
    if unknown:
        raise Violation(f"todos that nobody added: {sorted(unknown)[:3]}")
    return found


def kills(arguments, directory):
    """kill -9 at random moments under load."""
    hub = Hub(arguments.hub, directory).start()
    action = hub.wait_until_ready()
    adders = [Adder(f"client{number}", hub.socket, action, pause=0.001) for number in range(4)]
    for adder in adders:
        adder.start()
    for cycle in range(1, arguments.cycles + 1):
        time.sleep(random.uniform(0.0, 0.25))
        hub.kill()
        hub.start()
        if cycle % 25 == 0:
            hub.wait_until_ready()
            # An action that is acknowledged now must be in every state that is read later.
            acknowledged = {adder: adder.acknowledged for adder in adders}
            check(adders, texts(hub.socket), acknowledged)
            print(f"  {cycle} kills, {sum(a.applied for a in adders)} actions acknowledged", flush=True)
    hub.wait_until_ready()
    found = finish(hub, adders)
    resumptions = sum(adder.resumptions for adder in adders)
    hub.stop()
    hub.start()
    hub.wait_until_ready()
    if texts(hub.socket) != found:
        raise Violation("a stop and a start have changed the state")
    hub.stop()
    return f"{arguments.cycles} kills, {len(found)} actions, {resumptions} resumed connections"


def stops(arguments, directory):
    """SIGSTOP and SIGCONT of the hub."""
    hub = Hub(arguments.hub, directory).start()
    action = hub.wait_until_ready()
    adders = [Adder(f"client{number}", hub.socket, action) for number in range(3)]
    for adder in adders:
        adder.start()
    for _ in range(max(arguments.cycles // 10, 3)):
        time.sleep(random.uniform(0.02, 0.1))
        hub.process.send_signal(signal.SIGSTOP)
        time.sleep(random.uniform(0.05, 0.3))
        hub.process.send_signal(signal.SIGCONT)
    found = finish(hub, adders)
    if any(adder.connections > 1 for adder in adders):
        raise Violation("a client was cut off because its hub had been stopped")
    hub.stop()
    return f"{len(found)} actions, no connection cut"


def full_disk(arguments, directory):
    """A full disk: only stored actions are acknowledged, and the hub continues when there is space."""
    mount = os.path.join(directory, "disk")
    os.mkdir(mount)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount], stderr=subprocess.DEVNULL).returncode:
        return "skipped: mounting a small tmpfs needs root"
    try:
        hub = Hub(arguments.hub, directory, os.path.join(mount, "state")).start()
        action = hub.wait_until_ready()
        adders = [Adder(f"client{number}", hub.socket, action, padding=2000) for number in range(2)]
        for adder in adders:
            adder.start()
        status = hub.process.wait(120)
        if status == 0 or "full" not in hub.tail():
            raise Violation(f"status {status} with a full disk:\n{hub.tail()}")
        subprocess.run(["mount", "-o", "remount,size=256m", mount], check=True)
        hub.start()
        hub.wait_until_ready()
        time.sleep(0.2)
        found = finish(hub, adders)
        hub.stop()
        return f"ended with status {status}; {len(found)} actions after there was room again"
    finally:
        subprocess.run(["umount", "-l", mount], check=False)


def no_descriptors(arguments, directory):
    """No descriptors left: open connections continue."""
    hub = Hub(arguments.hub, directory).start([(resource.RLIMIT_NOFILE, 40)])
    action = hub.wait_until_ready()
    adders = [Adder(f"client{number}", hub.socket, action, pause=0.002) for number in range(60)]
    for adder in adders:
        adder.start()
    time.sleep(1)
    hub.kill()
    hub.start()
    hub.wait_until_ready()
    found = finish(hub, adders)
    hub.stop()
    return f"{len(found)} actions of 60 clients on a hub with 40 descriptors"


def no_memory(arguments, directory):
    """No memory left: the hub may end, but every acknowledged action is there after the restart."""
    hub = Hub(arguments.hub, directory).start()
    action = hub.wait_until_ready()
    with open(f"/proc/{hub.process.pid}/status") as status:
        size = next(int(line.split()[1]) for line in status if line.startswith("VmPeak"))
    hub.stop()
    hub.start([(resource.RLIMIT_AS, (size + 12_000) * 1024)])
    hub.wait_until_ready()
    adders = [Adder(f"client{number}", hub.socket, action, padding=60_000) for number in range(4)]
    for adder in adders:
        adder.start()
    try:
        status = hub.process.wait(120)
    except subprocess.TimeoutExpired:
        raise Violation("the hub did not run out of memory; lower the limit") from None
    hub.start()
    hub.wait_until_ready()
    time.sleep(0.2)
    found = finish(hub, adders)
    hub.stop()
    return f"ended with status {status}; {len(found)} actions after the restart"


def crashes(arguments, directory):
    """Actions that trap in the reducer, in frames with others, and kills: exactly those are refused."""
    if not arguments.crashing:
        return "skipped: --crashing names no hub with an action that traps"
    hub = Hub(arguments.crashing, directory).start()
    hub.wait_until_ready(action=schema_of)
    schema = schema_of(hub.socket)

    def traps(text):
        return int(text.rsplit("-", 1)[1]) % 97 == 13

    def make_action(text):
        return schema.make(schema.action, {"removed": 99} if traps(text) else "counted")

    adders = [Adder(f"client{number}", hub.socket, make_action, pause=0.001) for number in range(3)]
    for adder in adders:
        adder.start()
    ends = kills = 0
    goal = max(arguments.cycles // 10, 3)
    deadline = time.monotonic() + 60 + 5 * arguments.cycles
    while any(adder.is_alive() for adder in adders):
        if time.monotonic() > deadline:
            raise Violation(f"no end of {ends} crashes:\n{hub.tail()}")
        if kills < goal and random.random() < 0.3:
            time.sleep(random.uniform(0.0, 0.3))
            hub.kill()
            kills += 1
        if hub.process.poll() is not None:
            ends += 1
            hub.start()
        if kills >= goal and ends - kills >= goal:
            for adder in adders:
                adder.is_draining.set()
        time.sleep(0.01)
    violations = [violation for adder in adders for violation in adder.violations]
    if violations:
        raise Violation("; ".join(violations))
    for adder in adders:
        expected = {number for number, text in enumerate(adder.sent, 1) if traps(text)}
        if set(adder.refused) != expected or any(code != 5 for code, _ in adder.refused.values()):
            raise Violation(f"{adder.name}: refused {adder.refused}, not {sorted(expected)}:\n{hub.tail()}")
    hub.wait_until_ready(action=schema_of)
    count, expected = state_of(hub.socket)["count"], sum(len(adder.acknowledged) for adder in adders)
    if count != expected:
        raise Violation(f"{count} actions took effect, not the {expected} that were not refused")
    hub.stop()
    return f"{ends - kills} crashes, {kills} kills, {count} actions, {sum(len(a.refused) for a in adders)} refused"


SCENARIOS = {scenario.__name__.replace("_", "-"): scenario for scenario in (kills, stops, crashes, full_disk, no_descriptors, no_memory)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hub", required=True, metavar="PATH", help="the storehubd to run")
    parser.add_argument("--crashing", metavar="PATH", help="a hub with an action that traps, for crashes")
    parser.add_argument("--cycles", type=int, default=200, metavar="N", help="how often the hub is killed; default 200")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), metavar="S", help="seed of the moments")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"of {', '.join(SCENARIOS)}; default all")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    print(f"seed {arguments.seed}", flush=True)
    for name in arguments.scenarios or SCENARIOS:
        directory = tempfile.mkdtemp(prefix="storehub-torture-")
        start = time.monotonic()
        try:
            result = SCENARIOS[name](arguments, directory)
        except Violation as violation:
            sys.exit(f"{name}: FAILED: {violation}\n  what it left: {directory}")
        shutil.rmtree(directory, ignore_errors=True)
        print(f"{name}: {result} ({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
