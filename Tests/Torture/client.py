"""A client for the torture runs. It numbers its actions, survives disconnections, and records acknowledged actions."""

import os
import random
import select
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "clients", "python", "src"))
from storehub import blocking  # noqa: E402
from storehub import _messages as wire  # noqa: E402
from storehub._json import to_json  # noqa: E402
from storehub._messages import ACTIONS, APPLIED, ERROR, GOODBYE, HEADER, HELLO, REJECTED, WELCOME  # noqa: E402


class Violation(Exception):
    """The hub has violated a guarantee."""


class Cut(Exception):
    """The connection has ended."""


class Adder(threading.Thread):
    """Adds todos with texts of its own, several in flight, and reconnects as often as it must.

    `acknowledged` are the texts whose actions the hub has acknowledged, `sent` all texts in the order of their numbers.
    """

    def __init__(self, name, path, make_action, window=16, pause=0.0, padding=0):
        super().__init__(name=name, daemon=True)
        self.path, self.make_action = path, make_action
        self.window, self.pause, self.padding = window, pause, padding
        self.session, self.connections, self.resumptions = None, 0, 0
        self.sent, self.applied, self.refused = [], 0, {}
        self.violations = []
        self.is_stopping = threading.Event()
        self.is_draining = threading.Event()

    @property
    def acknowledged(self):
        return [text for number, text in enumerate(self.sent[: self.applied], 1) if number not in self.refused]

    def drain(self):
        """Stops sending, and waits until all actions are acknowledged."""
        self.is_draining.set()
        self.join(240)
        if self.is_alive():
            self.is_stopping.set()
            raise Violation(f"{self.name}: {len(self.sent) - self.applied} actions have no outcome after 240 s")

    def run(self):
        while not self.is_stopping.is_set():
            try:
                self.converse()
                return
            except (Cut, OSError):
                time.sleep(random.uniform(0.001, 0.02))
            except Violation as violation:
                self.violations.append(str(violation))
                return

    def converse(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
            stream.settimeout(240)
            stream.connect(self.path)
            self.stream, self.buffer = stream, b""
            self.write(HELLO, wire.hello(self.name, self.session, self.applied, None))
            while True:
                kind, payload = self.frame(True)
                if kind == WELCOME:
                    break
                self.handle(kind, payload)
            self.welcome(wire.read_welcome(payload))
            while not self.is_stopping.is_set() and not self.is_done:
                self.send_more()
                while not self.is_done and (frame := self.frame(self.is_full)) is not None:
                    self.handle(*frame)

    def welcome(self, welcome):
        self.connections += 1
        session, is_resumed, processed = welcome.session, welcome.resumed, welcome.processed
        if self.session is None:
            self.session = session
        elif not is_resumed:
            raise Violation(f"{self.name}: the hub has forgotten the session")
        else:
            self.resumptions += 1
        if processed > len(self.sent):
            raise Violation(f"{self.name}: the hub has processed {processed} of {len(self.sent)} actions")
        if processed < self.applied:
            raise Violation(f"{self.name}: {self.applied} actions were acknowledged, and {processed} are known")
        # Repeats all actions without an outcome; the hub must skip those that it has processed.
        if self.applied < len(self.sent):
            self.write_actions(self.applied + 1, self.sent[self.applied :])

    @property
    def is_done(self):
        return self.is_draining.is_set() and self.applied == len(self.sent)

    @property
    def is_full(self):
        return self.is_draining.is_set() or len(self.sent) - self.applied >= self.window

    def send_more(self):
        if self.is_full:
            return
        if self.pause:
            time.sleep(self.pause)
        text = f"{self.name}-{len(self.sent) + 1}" + "." * self.padding
        self.sent.append(text)
        number = len(self.sent)
        self.write_actions(number, [text])

    def write_actions(self, first, texts):
        self.write(ACTIONS, wire.actions(first, self.applied, [self.make_action(text) for text in texts]))

    def handle(self, kind, payload):
        if kind == APPLIED:
            number = wire.read_number(payload)
            if not self.applied < number <= len(self.sent):
                raise Violation(f"{self.name}: acknowledged {number} after {self.applied}, of {len(self.sent)}")
            self.applied = number
        elif kind == REJECTED:
            number, code, reason = wire.read_rejected(payload)
            self.refused[number] = (code, reason)
        elif kind in (ERROR, GOODBYE):
            raise Cut(wire.read_failure(payload)[1])

    def write(self, kind, payload):
        self.stream.sendall(wire.frame(kind, payload))

    def frame(self, waits):
        """The next frame; None if there is none and it must not wait."""
        while True:
            if len(self.buffer) >= HEADER.size:
                length, kind, _, _, _ = HEADER.unpack_from(self.buffer)
                if len(self.buffer) >= HEADER.size + length:
                    payload = self.buffer[HEADER.size : HEADER.size + length]
                    self.buffer = self.buffer[HEADER.size + length :]
                    return kind, payload
            if not waits and not select.select([self.stream], [], [], 0)[0]:
                return None
            if waits and not select.select([self.stream], [], [], 1)[0]:
                if self.is_stopping.is_set():
                    raise Cut("stopped")
                continue
            more = self.stream.recv(1 << 16)
            if not more:
                raise Cut("the hub closed the connection")
            self.buffer += more


class TimedAdder(Adder):
    """Notes how long its actions take, from the first attempt to the acknowledgement, and why its connections end."""

    def __init__(self, name, path, make_action, **options):
        super().__init__(name, path, make_action, **options)
        self.sent_at, self.slowest, self.ends = {}, 0.0, []

    def converse(self):
        try:
            super().converse()
        except (Cut, OSError) as end:
            self.ends.append(str(end))
            raise

    def write_actions(self, first, texts):
        now = time.monotonic()
        for number in range(first, first + len(texts)):
            self.sent_at.setdefault(number, now)
        super().write_actions(first, texts)

    def handle(self, kind, payload):
        before = self.applied
        super().handle(kind, payload)
        for number in range(before + 1, self.applied + 1):
            self.slowest = max(self.slowest, time.monotonic() - self.sent_at.pop(number))


def encoder_of(path):
    """Returns a function that encodes actions of the hub's feature, which are JSON with the names of its schema."""
    with blocking.connect(path, wait=10, timeout=120) as client:
        client.schema()
        return client._core.types().action.encoded


def todo_action(path):
    """Returns a function that encodes the action for adding a todo."""
    encode = encoder_of(path)
    return lambda text: encode({"todos": {"addButtonTapped": text}})


def state_of(path):
    """Returns the whole state of the hub's feature."""
    with blocking.connect(path, wait=10, timeout=120) as client:
        return to_json(client.attach(".").value)


def texts(path):
    """Returns the texts of all todos, attached twice: both must be the same at one revision, and have the hub's hash."""
    with blocking.connect(path, wait=10, timeout=120) as client:
        first = client.attach(".")
        second = client.attach(".")
        # Under load the hub may have gone on between the two.
        if first.revision == second.revision and first.value != second.value:
            raise Violation("two scopes have different states at one revision")
        if first.verify() is False:
            raise Violation("the hub's hash of the state differs")
        return [todo["text"] for todo in first.value["todos"]["todos"]]


def check(adders, found, acknowledged=None):
    """Checks that every acknowledged todo exists, none exists twice, and each client's todos are in order."""
    acknowledged = acknowledged or {adder: adder.acknowledged for adder in adders}
    for adder in adders:
        if adder.violations:
            raise Violation("; ".join(adder.violations))
    if len(set(found)) != len(found):
        twice = sorted({text for text in found if found.count(text) > 1})[:3]
        raise Violation(f"took effect twice: {twice}")
    known = set(found)
    for adder in adders:
        lost = [text for text in acknowledged[adder] if text not in known]
        if lost:
            raise Violation(f"{len(lost)} acknowledged actions of {adder.name} are lost, such as {lost[:3]}")
        mine = set(adder.sent)
        order = [text for text in found if text in mine]
        if order != [text for text in adder.sent if text in known]:
            raise Violation(f"the actions of {adder.name} took effect out of order")
