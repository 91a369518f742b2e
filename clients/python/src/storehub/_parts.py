"""What a client keeps of each attached part, and of each action without an outcome."""

from __future__ import annotations

from typing import Any

from ._cbor import Reader
from ._messages import Frame, read_snapshot
from ._types import RawStep, Type
from .errors import Absent, LimitReached, ProtocolError, StoreHubError
from .paths import Path, Step
from .schema import Model, Types

LAST_PIECE = 1


class Reading:
    """A large value that has arrived, and that the shell reads, on any thread."""

    def __init__(self, part: Subscription, kind: Type, data: bytes, revision: int) -> None:
        self.part, self.revision = part, revision
        self._type, self._data = kind, data
        self._value: Any = None
        self._error: Exception | None = None

    def run(self) -> None:
        """Reads the value, or finds out why it cannot be read. Touches nothing else."""
        try:
            reader = Reader(self._data)
            self._value = self._type.read(reader)
            reader.finish()
        except Exception as error:  # noqa: BLE001
            # Whatever it is, it belongs to the thread of the core.
            self._error = error
        self._data = b""

    def result(self) -> Any:
        """The value; raises the reason why there is none."""
        if self._error is not None:
            raise self._error
        return self._value


class Subscription:
    """A part of a state to which the client subscribes, with its value."""

    def __init__(self, path: Path[Any], state_bytes: int) -> None:
        self.path, self.state_bytes = path, state_bytes
        self.number: int | None = None
        self.type: Type | None = None
        self.steps: list[int | RawStep] = []
        self.value: Any = None
        self.is_present = False
        # The reason why the hub has no value of a view, or has not attached the part.
        self.refusal: str | None = None
        # True if the hub has not attached the part because of a limit.
        self.awaits_room = False
        # True from then on until the hub answers otherwise.
        self.exceeds_limit = False
        # The count of detachments when it was requested.
        self.detachments = 0
        self.revision: int | None = None
        self.error: StoreHubError | None = None
        self.is_detached = False
        # Counts what arrived, so that a reader sees that there is something new.
        self.version = 0
        self.deltas = 0
        # True from the request until the hub's first answer to it.
        self.is_awaited = False
        self._pieces: bytearray | None = None
        # A value that the shell has to read, because it has more bytes than this.
        self.reads_elsewhere_above: int | None = None
        self.reading: Reading | None = None

    @property
    def model(self) -> Model | None:
        return self.path._model

    @property
    def root(self) -> int:
        return self.path._root

    def resolve(self, types: Types) -> None:
        """Finds the steps on the wire and the type; raises `UnknownPart` and `SchemaMismatch`."""
        kind, self.steps = types.state, []
        for step in self.path._steps:
            steps, kind = kind.step(step)
            self.steps += steps
        if self.type is not kind:
            self.type, self.revision = kind, None

    @property
    def windowed(self) -> tuple[Step, ...]:
        """The path, for messages."""
        return self.path._steps

    def is_known(self) -> bool:
        """True if the part's value, or its absence, has arrived."""
        return self.version > 0

    # Frames of the hub, each of which returns true if the part has a new value

    def disconnect(self) -> None:
        """The connection ended, and with it an incomplete snapshot."""
        self.awaits_room = False
        self.number, self._pieces, self.reading, self.is_awaited = None, None, None, False

    def snapshot(self, frame: Frame) -> bool:
        _, offset, piece = read_snapshot(frame.payload)
        if offset == 0:
            self._pieces = bytearray()
        if self._pieces is None or offset != len(self._pieces):
            raise ProtocolError("a piece of a snapshot is missing")
        self._pieces += piece
        if not frame.flags & LAST_PIECE:
            return False
        data, self._pieces = bytes(self._pieces), None
        assert self.type
        reading = Reading(self, self.type, data, frame.revision)
        if self.reads_elsewhere_above is not None and len(data) > self.reads_elsewhere_above:
            self.reading = reading
            return False
        reading.run()
        return self.has_read(reading)

    def has_read(self, reading: Reading) -> bool:
        """Takes a value that was read."""
        self.reading = None
        self._set(reading.result(), True, reading.revision)
        return True

    @property
    def is_too_large(self) -> bool:
        """True if an incomplete snapshot exceeds the limit."""
        return self._pieces is not None and len(self._pieces) > self.state_bytes

    def delta(self, frame: Frame) -> bool:
        reader = Reader(frame.payload)
        if reader.array() != 2:
            raise ProtocolError("a delta has two items")
        base = reader.unsigned()
        if base != self.revision or not self.is_present or not base < frame.revision:
            raise ProtocolError(f"a delta from the revision {base}, and the part is at {self.revision}")
        assert self.type
        value = self.type.change(self.value, reader)
        reader.finish()
        self.deltas += 1
        self._set(value, True, frame.revision)
        return True

    def bookmark(self, frame: Frame) -> bool:
        if self.revision is None or frame.revision <= self.revision:
            raise ProtocolError("a bookmark that does not lead on")
        self.revision, self.is_awaited = frame.revision, False
        return False

    def absent(self, frame: Frame) -> bool:
        self._pieces = None
        self._set(None, False, frame.revision)
        if frame.payload:
            reader = Reader(frame.payload)
            self.refusal = reader.text()
            reader.finish()
        return True

    def _set(self, value: Any, is_present: bool, revision: int) -> None:
        self.value, self.is_present, self.revision, self.is_awaited = value, is_present, revision, False
        self.refusal, self.exceeds_limit = None, False
        self.version += 1

    def refuse(self) -> None:
        """The hub has not attached the part, as the reason before has said."""
        self.disconnect()
        self.awaits_room, self.exceeds_limit, self.revision = True, True, None

    def absence(self) -> Absent:
        """Why there is no value."""
        error = LimitReached if self.exceeds_limit else Absent
        return error(f"{self.path} has no value now" + (f": {self.refusal}" if self.refusal else ""))

    def fail(self, error: StoreHubError) -> None:
        """The part has no further values."""
        self.error, self.is_detached, self.number = error, True, None
        self.version += 1


class Action:
    """An action that the client was asked to send."""

    __slots__ = (
        "cancels", "data", "error", "is_done", "is_recovered", "is_sent", "model", "number", "seen", "sequence", "session",
        "strikes", "unreadable", "value",
    )  # fmt: skip

    def __init__(self, value: Any, model: Model | None, seen: int | None) -> None:
        self.value, self.model, self.seen = value, model, seen
        self.data = b""
        self.sequence = 0
        # The session in which it has the number.
        self.session: bytes | None = None
        self.is_sent = False
        self.is_done = False
        self.cancels = False
        self.strikes = 0
        # The number in the outbox, if there is one.
        self.number = 0
        # True if an earlier process has taken it.
        self.is_recovered = False
        self.error: StoreHubError | None = None
        # Why it could not be written for the schema of the hub, which may have processed it already.
        self.unreadable: StoreHubError | None = None

    def finish(self, error: StoreHubError | None) -> None:
        self.error, self.is_done = error, True
        if not self.is_recovered:
            self.value = None
