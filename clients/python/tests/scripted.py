"""A core with a hub that says what a test tells it to."""

from __future__ import annotations

import random
from typing import Any

from storehub import _cbor, _messages as wire
from storehub._cbor import Item, Map
from storehub._events import ActionDone, PartChanged, Verified
from storehub._messages import Frame, FrameReader
from storehub.core import Core
from storehub.options import Options

SESSION = bytes(range(16))

SCHEMA: tuple[Item, ...] = (
    0, 1,
    ("State", 0, (), (0, "count", "Int", True), (1, "items", ("IdentifiedArray", "Int", 2), True),
     (2, "note", ("Optional", "String"), True)),
    ("Action", 1, (0, "increment"), (1, "add", "text", "String"), (2, "move", "id", "Int", "before", ("Optional", "Int")),
     (3, "data", "", "Data")),
    ("Item", 0, (0,), (0, "id", "Int", False), (1, "text", "String", False)),
)  # fmt: skip

STATE = Map([(0, 0), (1, (Map([(0, 7), (1, "seven")]),)), (2, None)])


class Script:
    """A core that has just connected, and the hub's side of the conversation."""

    def __init__(self, *, reads_elsewhere_above: int | None = None, **options: Any) -> None:
        self.core = Core(Options(**{"timeout": 10.0, **options}), random.Random(1), reads_elsewhere_above)
        self.now = 0.0
        self.sent: list[Frame] = []
        self.events: list[Any] = []
        self.connect()

    def connect(self) -> None:
        self.reader = FrameReader(1 << 24)
        self.core.connect_now()
        self.core.connected(self.now)
        self.collect()

    def collect(self) -> list[Frame]:
        """The frames that the client has written since the last call."""
        found = list(self.reader.receive(self.core.take_output(self.now)))
        self.sent += found
        self.events += self.core.take_events()
        return found

    def say(self, kind: int, payload: Item | bytes = b"", scope: int = 0, flags: int = 0, revision: int = 0) -> list[Frame]:
        """The hub sends a frame; returns what the client answers. Bytes are the payload itself."""
        data = payload if isinstance(payload, bytes) else _cbor.encoded(payload)
        self.core.receive(wire.frame(kind, data, scope, flags, revision), self.now)
        return self.collect()

    def welcome(self, resumed: bool = False, processed: int = 0, history: int = 5, **more: Any) -> list[Frame]:
        """The hub welcomes the client, and describes its schema if it is asked to."""
        keys: dict[int, Item] = {0: 1, 1: SESSION, 2: resumed, 3: processed, 6: b"f" * 32, 7: history, 10: True, 11: 4096}
        keys.update({int(key[1:]): value for key, value in more.items()})
        answer = self.say(wire.WELCOME, Map(keys.items()))
        if any(frame.kind == wire.DESCRIBE for frame in answer):
            answer = self.say(wire.SCHEMA, SCHEMA)
        return answer

    def snapshot(self, scope: int, value: Item, revision: int = 0, reason: int = 0) -> list[Frame]:
        """The hub sends a snapshot of one piece."""
        return self.say(wire.SNAPSHOT, (reason, 0, _cbor.encoded(value)), scope, 1, revision)

    def applied(self, number: int) -> list[Frame]:
        return self.say(wire.APPLIED, number)

    def cut(self, **welcome: Any) -> list[Frame]:
        """The connection ends, and the client is welcomed on the next one."""
        self.core.disconnected("cut", self.now)
        self.collect()
        self.connect()
        return self.welcome(**welcome)

    def outcomes(self) -> list[tuple[int, Any]]:
        """The actions with an outcome, by their numbers."""
        return [(event.action.sequence, event.action.error) for event in self.events if isinstance(event, ActionDone)]

    def changes(self) -> int:
        return sum(isinstance(event, PartChanged) for event in self.events)

    def verified(self) -> list[bool | None]:
        return [event.matches for event in self.events if isinstance(event, Verified)]


def kinds(frames: list[Frame]) -> list[int]:
    return [frame.kind for frame in frames]


def numbers(frames: list[Frame]) -> list[tuple[int, int, int]]:
    """Of frames of actions: the first number, the acknowledged one, and how many actions."""
    result = []
    for frame in frames:
        if frame.kind == wire.ACTIONS:
            reader = _cbor.Reader(frame.payload)
            first, acknowledged, count = reader.unsigned(), reader.unsigned(), 0
            while reader.at < reader.end:
                reader.item()
                count += 1
            result.append((first, acknowledged, count))
    return result
