"""Real processes under real faults: kills, stops, a full disk, no descriptors, no memory.

    torture.py --hub PATH [--crashing PATH] [--shared PATH --editor PATH [--storectl PATH]] [--outbox-client PATH] [--ledger PATH] [--cycles N] [--seed S] [SCENARIO...]

Each scenario starts the hub on a state directory of its own, loads it with clients that reconnect and send again what has no
outcome, and checks that everything acknowledged is there once, in order, and nothing twice. Exits with 1 on a violation.
"""

import argparse
import atexit
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from client import Adder, Violation, check, encoder_of, state_of, texts, todo_action


class Hub:
    """The daemon with a state directory."""

    started = {}
    """The programs of all hubs, by their state directories."""

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

        Hub.started[self.state] = self.program
        command = [self.program, "--socket", self.socket, "--state-dir", self.state, "--stop-limit", "120s", *self.options]
        with open(self.errors, "ab") as errors:
            environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
            self.process = subprocess.Popen(command, stderr=errors, stdout=errors, preexec_fn=prepare, env=environment)
        return self

    def wait_until_ready(self, timeout=180, action=todo_action):
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
        if self.process.wait(180) != 0:
            raise Violation(f"the hub stopped with status {self.process.returncode}:\n{self.tail()}")

    def log(self):
        with open(self.errors, encoding="utf-8", errors="replace") as errors:
            return errors.read()

    def tail(self):
        return self.log()[-2000:]


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
    hub.wait_until_ready(action=encoder_of)
    encode = encoder_of(hub.socket)

    def traps(text):
        return int(text.rsplit("-", 1)[1]) % 97 == 13

    def make_action(text):
        return encode({"removed": 99} if traps(text) else "counted")

    adders = [Adder(f"client{number}", hub.socket, make_action, pause=0.001) for number in range(3)]
    for adder in adders:
        adder.start()
    ends = kills = 0
    goal = max(arguments.cycles // 10, 3)
    deadline = time.monotonic() + 300 + 5 * arguments.cycles
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
    hub.wait_until_ready(action=encoder_of)
    count, expected = state_of(hub.socket)["count"], sum(len(adder.acknowledged) for adder in adders)
    if count != expected:
        raise Violation(f"{count} actions took effect, not the {expected} that were not refused")
    hub.stop()
    return f"{ends - kills} crashes, {kills} kills, {count} actions, {sum(len(a.refused) for a in adders)} refused"


def shared_model(arguments, directory):
    """Editors of a shared model, and kills of its hub: each edit takes effect once, and all agree."""
    if not (arguments.shared and arguments.editor):
        return "skipped: --shared and --editor name no hub of a shared model and its editor"
    hub = Hub(arguments.shared, directory).start()
    hub.wait_until_ready(action=encoder_of)
    editors = [Editor(arguments.editor, hub.socket, f"editor{number}") for number in range(4)]
    count = 2 if arguments.storectl else 0
    scripts = [Script(arguments.storectl, hub.socket, f"script{number}") for number in range(count)]
    terminals = [Terminal(arguments.storectl, hub.socket, f"terminal{number}")
                 for number in range(count if shutil.which("tmux") else 0)]
    for script in [*scripts, *terminals]:
        script.start()
    deadline = time.monotonic() + arguments.seconds
    kills = 0
    while kills < arguments.cycles if arguments.seconds == 0 else time.monotonic() < deadline:
        time.sleep(random.uniform(0.0, 0.5))
        for editor in editors:
            editor.require_running()
        hub.kill()
        hub.start()
        kills += 1
        if random.random() < 0.1:
            # Connections are cut while the hub runs on: it is stopped and started in order.
            hub.wait_until_ready(action=encoder_of)
            hub.stop()
            hub.start()
    hub.wait_until_ready(action=encoder_of)
    expected, edits = {}, 0
    for editor in [*scripts, *terminals, *editors]:
        notes, count = editor.finish()
        expected.update(notes)
        edits += count
    # Now that all edits are stored, all have the same value.
    state = state_of(hub.socket)
    in_doubt = set().union(*(script.in_doubt for script in [*scripts, *terminals]))
    found = {note["id"]: (note["stars"], sorted(note["tags"])) for note in state["notes"] if note["id"] not in in_doubt}
    if found != expected:
        missing = sorted(set(expected) - set(found))[:3]
        extra = sorted(set(found) - set(expected))[:3]
        other = [id for id in sorted(set(found) & set(expected)) if found[id] != expected[id]][:3]
        raise Violation(f"missing {missing}, not removed {extra}, different {other}")
    possible = edits + sum(script.edits_in_doubt for script in [*scripts, *terminals])
    if not edits <= state["edits"] <= possible:
        raise Violation(f"{state['edits']} edits were counted, of {edits} to {possible}")
    hashes = wait_for_equal_hashes(editors)
    for terminal in terminals:
        terminal.wait_until_shown(state["edits"])
        terminal.close()
    for editor in editors:
        editor.process.kill()
        editor.process.wait()
    hub.stop()
    hub.start()
    hub.wait_until_ready(action=encoder_of)
    if state_of(hub.socket) != state:
        raise Violation("a stop and a start have changed the state")
    hub.stop()
    typed = sum(terminal.commands for terminal in terminals)
    return (f"{kills} kills, {edits} edits by {len(editors)} processes, {len(scripts)} scripts and {len(terminals)} terminals, "
            f"{typed} commands typed, {len(found)} notes, hash {hashes}")


class Script(threading.Thread):
    """A script that edits notes of its own with storectl, one process for each edit.

    A tool whose hub was killed cannot say whether its action took effect (exit status 5). Such a note is not compared
    and not edited again, and such an addition may count.
    """

    def __init__(self, program, socket, name):
        super().__init__(name=name, daemon=True)
        self.program, self.socket = program, socket
        self.random = random.Random(random.randrange(1 << 32))
        self.notes, self.edits, self.failure = {}, 0, None
        self.in_doubt, self.edits_in_doubt = set(), 0
        self.is_stopping = threading.Event()

    def run(self):
        number = 0
        while not self.is_stopping.is_set() and not self.failure:
            number += 1
            ids = sorted(self.notes)
            if not ids or self.random.random() < 0.3:
                id = f"{self.name}-{number}"
                place = self.random.choice([[], ["--at", "start"], ["--at", "end"]])
                note = json.dumps({"id": id, "title": "by a script", "stars": 0, "tags": []})
                self.edit(id, (0, []), "insert", "notes", note, *place)
                continue
            id = self.random.choice(ids)
            stars, tags = self.notes[id]
            match self.random.randrange(4):
                case 0:
                    self.edit(id, None, "remove", f'notes["{id}"]')
                case 1:
                    self.edit(id, (stars + 1, tags), "set", f'notes["{id}"].stars', str(stars + 1))
                case 2:
                    after = (stars, sorted([*tags, str(number)]))
                    self.edit(id, after, "insert", f'notes["{id}"].tags', str(number))
                case _:
                    self.add()

    def edit(self, id, after, *arguments):
        """Edits a note, which is `after` then; None if it is removed."""
        if self.run_tool(*arguments):
            self.notes[id] = after
            if after is None:
                del self.notes[id]
        else:
            self.notes.pop(id, None)
            self.in_doubt.add(id)

    def add(self):
        if self.run_tool("set", "edits", "--add", "1"):
            self.edits += 1
        else:
            self.edits_in_doubt += 1

    def run_tool(self, command, *arguments):
        """Returns True if the edit took effect, and False if nobody knows."""
        line = [self.program, command, "--socket", self.socket, "--timeout", "60s", *arguments]
        while True:
            status, errors = self.execute(line)
            match status:
                case 0: return True
                # Nothing was sent.
                case 4: time.sleep(0.005)
                case 5: return False
                case _:
                    self.failure = f"{self.name}: {' '.join(line)}: status {status}: {errors}"
                    return False

    def execute(self, line):
        """Runs a command; returns its status and its messages."""
        done = subprocess.run(line, capture_output=True, text=True)
        return done.returncode, done.stderr

    def finish(self):
        self.is_stopping.set()
        self.join(300)
        if self.failure or self.is_alive():
            raise Violation(self.failure or f"{self.name} has no answer")
        return self.notes, self.edits


class Terminal(Script):
    """A user at a terminal, who types edits in a shell; a second pane shows the number of all edits with `storectl watch`."""

    def __init__(self, program, socket, name):
        super().__init__(program, socket, name)
        self.server = f"storehub-torture-{os.getpid()}-{name}"
        atexit.register(self.close)
        self.commands = 0
        self.tmux("new-session", "-d", "-x", "200", "-y", "40", "exec env PS1= bash --norc")
        watch = [program, "watch", "--reconnect", "--socket", socket, "edits"]
        self.watch = self.tmux("split-window", "-d", "-P", "-F", "#{pane_id}", shlex.join(watch)).strip()

    def tmux(self, *arguments):
        command = ["tmux", "-L", self.server, "-f", "/dev/null", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def execute(self, line):
        self.commands += 1
        # The echo of what is typed has no number.
        self.tmux("send-keys", "-l", f"clear; {shlex.join(line)} >/dev/null; echo status {self.commands} $?")
        self.tmux("send-keys", "Enter")
        end = re.compile(rf"^status {self.commands} (\d+)$", re.MULTILINE)
        deadline = time.monotonic() + 80
        while time.monotonic() < deadline:
            screen = self.tmux("capture-pane", "-p")
            if found := end.search(screen):
                return int(found.group(1)), screen
            time.sleep(0.02)
        return "none within 80 s", screen

    def wait_until_shown(self, edits):
        deadline = time.monotonic() + 30
        while str(edits) not in (screen := self.tmux("capture-pane", "-p", "-t", self.watch)).split():
            if time.monotonic() > deadline:
                raise Violation(f"{self.name} shows other than {edits} edits:\n{screen}")
            time.sleep(0.1)

    def close(self):
        subprocess.run(["tmux", "-L", self.server, "kill-server"], capture_output=True, check=False)


class Editor:
    """A process that edits notes of its own, and checks after each edit that all its work is there."""

    def __init__(self, program, socket, name):
        self.name = name
        command = [program, socket, name, str(random.randrange(1 << 32))]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # Also after a violation; it would edit for ever.
        atexit.register(self.process.kill)

    def require_running(self):
        if self.process.poll() is not None:
            raise Violation(f"{self.name} ended with {self.process.returncode}: {self.process.stderr.read()[-2000:]}")

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(120)
            self.require_running()
        return line.split()

    def finish(self):
        """Returns its notes, and the number of its edits, when the hub has taken all of them."""
        self.process.send_signal(signal.SIGTERM)
        notes, edits = {}, 0
        while (line := self.line()) != ["end"]:
            match line:
                case ["edits", count]:
                    edits = int(count)
                case ["note", id, stars, *tags]:
                    notes[id] = (int(stars), [tag for tag in " ".join(tags).split(",") if tag])
        return notes, edits

    def hash(self):
        self.process.send_signal(signal.SIGUSR1)
        return " ".join(self.line())


def wait_for_equal_hashes(editors):
    """The last edits of one reach the others soon."""
    deadline = time.monotonic() + 30
    while len(hashes := {editor.hash() for editor in editors}) > 1:
        if time.monotonic() > deadline:
            raise Violation(f"the editors do not agree: {hashes}")
        time.sleep(0.01)
    return hashes.pop().split()[1]


def outboxes(arguments, directory):
    """Kills of clients with an outbox, and of their hub: each action takes effect once, and its outcome is reported."""
    if not arguments.outbox_client:
        return "skipped: --outbox-client names no client"
    hub = Hub(arguments.hub, directory).start()
    hub.wait_until_ready()
    reports = os.path.join(directory, "reports")

    def client(slot, name, count):
        command = [arguments.outbox_client, hub.socket, os.path.join(directory, f"outbox{slot}"), name, str(count)]
        with open(reports, "ab") as output, open(os.path.join(directory, "errors"), "ab") as errors:
            return subprocess.Popen(command, stdout=output, stderr=errors)

    kills = hub_kills = 0
    clients = {}
    while kills < arguments.cycles:
        for slot in range(4):
            if slot not in clients:
                clients[slot] = client(slot, f"c{slot}.{kills}", 100_000)
        time.sleep(random.uniform(0.0, 0.1))
        if random.random() < 0.1:
            hub.kill()
            hub.start()
            hub_kills += 1
        slot = random.choice(list(clients))
        killed = clients.pop(slot)
        if killed.poll() is not None:
            raise Violation(f"a client ended with {killed.returncode}: {open(os.path.join(directory, 'errors')).read()[-2000:]}")
        killed.kill()
        killed.wait()
        kills += 1
    for killed in clients.values():
        killed.kill()
        killed.wait()
    hub.wait_until_ready()
    for slot in range(4):
        last = client(slot, f"last{slot}", 3)
        if last.wait(120) != 0:
            raise Violation(f"the last client failed: {open(os.path.join(directory, 'errors')).read()[-2000:]}")
    found, reported = texts(hub.socket), open(reports).read().split()
    if len(set(found)) != len(found):
        raise Violation(f"took effect twice: {sorted({text for text in found if found.count(text) > 1})[:3]}")
    if lost := set(reported) - set(found):
        raise Violation(f"reported, and not applied: {sorted(lost)[:3]}")
    numbers = {}
    for text in found:
        name, number = text.split("-")
        if int(number) != numbers.get(name, 0) + 1:
            raise Violation(f"{text} follows {name}-{numbers.get(name, 0)}")
        numbers[name] = int(number)
    hub.stop()
    return f"{kills} kills of clients, {hub_kills} of the hub, {len(found)} todos of {len(numbers)} processes"


def migrations(arguments, directory):
    """kill -9 of a new version while it starts and migrates: it does so once, nothing is lost, and there is a way back."""
    if not (arguments.ledger and arguments.storectl):
        return "skipped: --ledger and --storectl name no programs"
    kills = early = rounds = actions = 0
    while kills < arguments.cycles:
        rounds += 1
        place = os.path.join(directory, str(rounds))
        os.mkdir(place)
        # The last character of the program's name is its version.
        programs = [os.path.join(place, f"ledger{version}") for version in (1, 2)]
        for program in programs:
            os.symlink(os.path.abspath(arguments.ledger), program)
        old = Hub(programs[0], place).start()
        start = time.monotonic()
        action = old.wait_until_ready(action=booking)
        duration = time.monotonic() - start
        adders = [Adder(f"client{number}", old.socket, action, pause=0.001, padding=random.choice([0, 200, 4000])) for number in range(2)]
        for adder in adders:
            adder.start()
        count = random.randrange(1, 60)
        wait_for(lambda adders=adders, count=count: all(adder.applied >= count or adder.violations for adder in adders))
        # Also after a crash of the earlier version.
        random.choice([old.kill, old.stop])()
        before = {adder: adder.acknowledged for adder in adders}

        new = Hub(programs[1], place, old.state)
        for _ in range(random.randrange(1, 5)):
            files = stamps(new.state)
            new.start()
            interrupt(new, duration, files)
            kills += 1
            early += way_back(new.log()) is None
        new.start()
        new.wait_until_ready(action=booking)
        for adder in adders:
            adder.drain()
        state = state_of(new.socket)
        entries = state["entries"]
        check(adders, entries)
        if state["total"] != len(entries) or state["migrations"] != 1:
            raise Violation(f"{state['migrations']} migrations, and a total of {state['total']} for {len(entries)} entries")
        new.stop()
        actions += len(entries)

        # The earlier version says how to go back, and so has the migration, unless it was killed before it said so.
        line = [programs[0], "--socket", old.socket, "--state-dir", old.state]
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
        command = way_back(done.stderr)
        if done.returncode == 0 or command is None or way_back(new.log()) not in (None, command):
            raise Violation(f"the earlier version ended with {done.returncode}: {done.stderr}\n{new.tail()}")
        done = subprocess.run([arguments.storectl, *shlex.split(command)[1:]], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Violation(f"`{command}` ended with {done.returncode}: {done.stdout}{done.stderr}")
        old.start()
        old.wait_until_ready(action=booking)
        state = state_of(old.socket)
        check(adders, state["entries"], before)
        count = int(shlex.split(command)[-1])
        if state["entries"] != entries[:count] or state["total"] != str(count):
            raise Violation(f"the way back to {count} leads to {len(state['entries'])} entries and a total of {state['total']}")
        old.stop()
    return f"{kills} kills in {rounds} upgrades, {early} of them before the migration, {actions} actions"


def booking(path):
    """Returns a function that encodes the action for booking an entry."""
    encode = encoder_of(path)
    return lambda text: encode({"booked": text})


def stamps(state):
    """What changes with a write to the files of a journal."""
    found = {}
    for name in os.listdir(state):
        try:
            status = os.stat(os.path.join(state, name))
        except FileNotFoundError:
            continue
        found[name] = (status.st_size, status.st_mtime_ns)
    return found


def interrupt(hub, duration, files):
    """Kills a hub that has just been started: at a moment of its start, or soon after it has begun to write."""
    if random.random() < 0.5:
        time.sleep(random.random() ** 2 * 1.5 * duration)
    else:
        deadline = time.monotonic() + 10
        while stamps(hub.state) == files and hub.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0002)
        time.sleep(random.random() ** 2 * duration / 2)
    if hub.process.poll() is not None:
        raise Violation(f"the hub ended with status {hub.process.returncode}:\n{hub.tail()}")
    hub.kill()


def way_back(text):
    """The command that goes back to before a migration, as a hub has written it; None if there is none."""
    commands = set(re.findall(r"`(storectl journal repair [^`]*)`", text))
    if len(commands) > 1:
        raise Violation(f"there are several ways back: {sorted(commands)}")
    return commands.pop() if commands else None


def wait_for(condition, timeout=60):
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise Violation(f"nothing has happened for {timeout} s")
        time.sleep(0.002)


def replay():
    """Runs the actions of all journals through the reducers again: each turn must have the same result."""
    actions = 0
    for state, program in Hub.started.items():
        if not os.path.exists(os.path.join(state, "journal.db")):
            continue
        done = subprocess.run([program, "replay", "--state-dir", state, "--json"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Violation(f"the replay of {state} ended with {done.returncode}: {done.stdout[:2000]}{done.stderr[-2000:]}")
        actions += json.loads(done.stdout.splitlines()[-1])["actions"]
    Hub.started.clear()
    return actions


SCENARIOS = {scenario.__name__.replace("_", "-"): scenario for scenario in (kills, stops, crashes, outboxes, migrations, shared_model, full_disk, no_descriptors, no_memory)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hub", required=True, metavar="PATH", help="the storehubd to run")
    parser.add_argument("--crashing", metavar="PATH", help="a hub with an action that traps, for crashes")
    parser.add_argument("--shared", metavar="PATH", help="a hub of a shared model, for shared-model")
    parser.add_argument("--editor", metavar="PATH", help="the editor of that model")
    parser.add_argument("--outbox-client", metavar="PATH", help="a client with an outbox, for outboxes")
    parser.add_argument("--ledger", metavar="PATH", help="a hub of several versions, for migrations")
    parser.add_argument("--storectl", metavar="PATH", help="the tool, for shared-model and migrations")
    parser.add_argument("--seconds", type=float, default=0, metavar="N", help="the time of shared-model, instead of cycles")
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
            result += f"; {replay()} actions replayed without a difference"
        except Violation as violation:
            sys.exit(f"{name}: FAILED: {violation}\n  what it left: {directory}")
        shutil.rmtree(directory, ignore_errors=True)
        print(f"{name}: {result} ({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
