"""A hub that follows a script, and the client under test on the other side of it."""

import hashlib
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "clients", "python", "src"))
from storehub import _messages as wire  # noqa: E402
from storehub._cbor import Map, Reader, decoded, encoded  # noqa: E402
from storehub._messages import FrameReader  # noqa: E402

# The seconds within which a client has to do what a case expects.
TIMEOUT = float(os.environ.get("CONFORMANCE_TIMEOUT", "60"))
SESSION = bytes(range(16))

SCHEMA = (
    0, 1,
    ("State", 0, (), (0, "count", "Int", True), (1, "items", ("IdentifiedArray", "Int", 2), True),
     (2, "note", ("Optional", "String"), True)),
    ("Action", 1, (0, "increment"), (1, "add", "text", "String")),
    ("Item", 0, (0,), (0, "id", "Int", False), (1, "text", "String", False)),
)  # fmt: skip
# The same feature in a later version. A client is sent the former names if it asks for them.
RENAMED = (
    *SCHEMA[:3], ("Action", 1, (0, "append", "text", "String", ("add",)), (1, "clear"), (2, "increment")), SCHEMA[4],
)  # fmt: skip
WITHOUT_FORMER_NAMES = {
    SCHEMA: SCHEMA,
    RENAMED: (*SCHEMA[:3], ("Action", 1, (0, "append", "text", "String"), (1, "clear"), (2, "increment")), SCHEMA[4]),
}  # fmt: skip
FORMER_NAMES = 2
STATE = Map([(0, 0), (1, (Map([(0, 7), (1, "seven")]),)), (2, None)])
INCREMENT = encoded(0)


class Failure(Exception):
    """The client did something else than the case expects."""


def require(condition, what):
    if not condition:
        raise Failure(what)


class Client:
    """The program under test."""

    def __init__(self, command, path):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = queue.Queue()
        self.seen = []
        # The outcomes that came before one that was waited for: a client may write those of several actions in any order.
        self.outcomes = {}
        threading.Thread(target=self.read, daemon=True).start()
        self.do("connect", socket=path)

    def read(self):
        for line in self.process.stdout:
            try:
                self.lines.put(json.loads(line))
            except ValueError:
                # For instance two lines that were written at the same time, and what they say is lost.
                self.lines.put(Failure(f"the client wrote a line that is no JSON: {line[:200]!r}"))
        self.lines.put(None)

    def do(self, verb, **arguments):
        try:
            self.process.stdin.write(json.dumps({"do": verb, **arguments}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise Failure("the client has ended") from error

    def wait(self, what, condition):
        """The first line for which a condition is true; those before it are passed over."""
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise Failure(f"waited {TIMEOUT:g} s for {what}; the client wrote {self.seen[-5:]}") from None
            if line is None:
                raise Failure(f"the client ended before {what}")
            if isinstance(line, Failure):
                raise line
            self.seen.append(line)
            if condition(line):
                return line
            if "outcome" in line:
                self.outcomes[line["action"]] = line

    def value(self, part, value, revision=None):
        """Waits until a part has a value, which is CBOR or None for absent."""
        wanted = None if value is None else encoded(value).hex()
        self.wait(f"value {wanted} of part {part} at {revision}", lambda line: line.get("part") == part and "bytes" in line
                  and line["bytes"] == wanted and revision in (None, line["revision"]))

    def outcome(self, action, outcome, **more):
        line = self.outcomes.pop(action, None) or self.wait(
            f"outcome of action {action}", lambda line: line.get("action") == action and "outcome" in line)
        found = {key: line.get(key) for key in more}
        require(line["outcome"] == outcome and found == more, f"action {action}: {line}, not {outcome} {more}")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Connection:
    """One connection of the client, and the hub's side of it."""

    def __init__(self, stream, schema=SCHEMA):
        self.stream, self.reader, self.frames, self.schema = stream, FrameReader(1 << 20), [], schema
        stream.settimeout(TIMEOUT)

    def frame(self, what):
        while not self.frames:
            try:
                data = self.stream.recv(1 << 16)
            except (TimeoutError, ConnectionError):
                raise Failure(f"waited {TIMEOUT:g} s for {what}") from None
            require(data, f"the client closed the connection before {what}")
            self.frames += self.reader.receive(data)
        return self.frames.pop(0)

    def expect(self, kind, name):
        """The next frame, which has this kind. Pings are answered, and requests for the schema."""
        while True:
            frame = self.frame(name)
            if frame.kind == kind:
                return frame
            if frame.kind == wire.PING:
                self.say(wire.PONG, frame.payload)
            elif frame.kind == wire.DESCRIBE:
                schema = self.schema if frame.flags & FORMER_NAMES else WITHOUT_FORMER_NAMES[self.schema]
                self.say(wire.SCHEMA, encoded(schema), scope=frame.scope)
            else:
                raise Failure(f"a frame of kind 0x{frame.kind:02x} in place of {name}")

    def say(self, kind, payload=b"", scope=0, flags=0, revision=0):
        self.raw(wire.frame(kind, payload if isinstance(payload, bytes) else encoded(payload), scope, flags, revision))

    def raw(self, data):
        try:
            self.stream.sendall(data)
        except OSError:
            pass

    def hello(self):
        """Reads the hello: its keys."""
        frame = self.expect(wire.HELLO, "hello")
        return dict(decoded(frame.payload).pairs)

    def welcome(self, resumed=False, processed=0, history=5, more=()):
        fingerprint = hashlib.sha256(encoded(WITHOUT_FORMER_NAMES[self.schema])).digest()
        self.say(wire.WELCOME, Map(sorted([
            (0, 1), (1, SESSION), (2, resumed), (3, processed), (6, fingerprint), (7, history), (10, True), (11, 4096), *more,
        ])))  # fmt: skip

    def greet(self, **arguments):
        keys = self.hello()
        self.welcome(**arguments)
        return keys

    def attach(self):
        """Reads an attach: its scope, and its keys."""
        frame = self.expect(wire.ATTACH, "attach")
        return frame.scope, dict(decoded(frame.payload).pairs)

    def snapshot(self, scope, value, revision, reason=0):
        self.say(wire.SNAPSHOT, (reason, 0, encoded(value)), scope, 1, revision)

    def actions(self):
        """Reads actions: the first number, the acknowledged one, and their bytes."""
        frame = self.expect(wire.ACTIONS, "actions")
        reader = Reader(frame.payload)
        first, acknowledged, items = reader.unsigned(), reader.unsigned(), []
        while reader.at < reader.end:
            start = reader.at
            reader.item()
            items.append(frame.payload[start : reader.at])
        return first, acknowledged, items

    def ends(self, what):
        """Waits until the client closes the connection."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            try:
                if not self.stream.recv(1 << 16):
                    return
            except ConnectionError:
                return
            except TimeoutError:
                break
        raise Failure(f"the client keeps the connection after {what}")

    def cut(self):
        self.stream.close()


class Hub:
    """The scripted hub of one case."""

    def __init__(self, directory, command):
        self.path = os.path.join(directory, "hub.sock")
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(8)
        self.listener.settimeout(TIMEOUT)
        self.connections = []
        self.client = Client(command, self.path)

    def accept(self, schema=SCHEMA):
        try:
            stream, _ = self.listener.accept()
        except TimeoutError:
            raise Failure(f"the client does not connect within {TIMEOUT:g} s") from None
        self.connections.append(Connection(stream, schema))
        return self.connections[-1]

    def live(self, **arguments):
        """A connection whose client has attached the whole state as part 1, at revision 3."""
        connection = self.accept()
        self.client.do("attach", part=1, path=[])
        connection.greet(**arguments)
        scope, _ = connection.attach()
        connection.snapshot(scope, STATE, 3)
        self.client.value(1, STATE, 3)
        return connection, scope

    def close(self):
        self.client.close()
        for connection in self.connections:
            connection.cut()
        self.listener.close()
