"""Frames and their payloads (PROTOCOL.md, 3, 4 and 6)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import _cbor
from ._cbor import Item, Map, Reader
from ._types import RawStep
from .errors import ProtocolError

HELLO, ATTACH, ACTIONS, PING, LEAVE, DETACH, VERIFY, DESCRIBE, CANCEL = range(0x01, 0x0A)
WELCOME, SNAPSHOT, DELTA, APPLIED, REJECTED, ERROR, GOODBYE, PONG = range(0x81, 0x89)
ABSENT, DETACHED, HASH, SCHEMA, BOOKMARK = range(0x89, 0x8E)

LAST = 1
"""The flag of the last piece of a snapshot."""
FORMER_NAMES = 2
"""The flag of a request for the former names in a schema."""
DOCUMENTED = 1
"""The flag of a request for the documentation of a schema, and of an answer that has it."""
WITH_REVISION = 1
"""The flag of actions with a revision in the header."""
CANCELLABLE = 2
"""The flag of actions whose effects the client may cancel."""

HEADER = struct.Struct("<IBBHQ")
PAYLOAD_BYTES = (16 << 20) + (60 << 10)
"""The largest payload that a client has to accept: a delta of the largest size, or a piece of a snapshot."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame from the hub."""

    kind: int
    flags: int
    scope: int
    revision: int
    payload: bytes


def frame(kind: int, payload: bytes = b"", scope: int = 0, flags: int = 0, revision: int = 0) -> bytes:
    """The bytes of a frame."""
    return HEADER.pack(len(payload), kind, flags, scope, revision) + payload


class FrameReader:
    """Splits a stream into frames. It keeps at most one unfinished frame, whose size it checks before it waits for it."""

    def __init__(self, limit: int = PAYLOAD_BYTES) -> None:
        self.limit = limit
        self._buffer = bytearray()

    def keep(self, data: bytes) -> None:
        """Takes data whose frames the next call of `receive` returns."""
        self._buffer += data

    def receive(self, data: bytes) -> Iterator[Frame]:
        """The frames that end in `data`, which follows what was received before."""
        buffer = self._buffer
        buffer += data
        at, end = 0, len(buffer)
        try:
            while end - at >= HEADER.size:
                length, kind, flags, scope, revision = HEADER.unpack_from(buffer, at)
                if length > self.limit:
                    raise ProtocolError(f"a frame of {length} bytes, of which this client takes {self.limit}")
                start = at + HEADER.size
                if end - start < length:
                    return
                at = start + length
                yield Frame(kind, flags, scope, revision, bytes(buffer[start:at]))
        finally:
            del buffer[:at]


@dataclass(frozen=True, slots=True)
class Welcome:
    """The hub's answer to a hello, with the defaults of what it left out."""

    version: int
    session: bytes
    resumed: bool
    processed: int
    payload_bytes: int
    hub: str
    fingerprint: bytes | None
    history: int | None
    serves_hub_state: bool
    state_directory: str | None
    takes_cancel: bool
    window_elements: int
    views: bytes | None


def hello(name: str, session: bytes | None, acknowledged: int, history: int | None) -> bytes:
    """The payload of a hello for version 1."""
    pairs: list[tuple[Item, Item]] = [(0, 1), (1, 1)]
    if session is not None:
        pairs += [(2, session), (3, acknowledged)]
    if name:
        pairs.append((4, name))
    if history is not None:
        pairs.append((6, history))
    return _cbor.encoded(Map(pairs))


def path(steps: Sequence[int | RawStep]) -> bytes:
    """The path of an attach."""
    out = bytearray()
    _cbor.write_head(out, 4, len(steps))
    for step in steps:
        if isinstance(step, RawStep):
            out += step.data
        else:
            _cbor.write_head(out, 0, step)
    return bytes(out)


def attach(steps: Sequence[int | RawStep], revision: int | None, root: int) -> bytes:
    """The payload of an attach."""
    out = bytearray()
    _cbor.write_head(out, 5, 1 + (revision is not None) + (root != 0))
    out.append(0)
    out += path(steps)
    if revision is not None:
        out.append(1)
        _cbor.write_head(out, 0, revision)
    if root:
        out += bytes((2, root))
    return bytes(out)


def actions(first: int, acknowledged: int, items: Sequence[bytes]) -> bytes:
    """The payload of a frame of actions."""
    out = bytearray()
    _cbor.write_head(out, 0, first)
    _cbor.write_head(out, 0, acknowledged)
    for item in items:
        out += item
    return bytes(out)


def number(value: int) -> bytes:
    """The payload that is one unsigned integer."""
    out = bytearray()
    _cbor.write_head(out, 0, value)
    return bytes(out)


def read_number(payload: bytes) -> int:
    """The unsigned integer that is the payload."""
    reader = Reader(payload)
    value = reader.unsigned()
    reader.finish()
    return value


_WELCOME: dict[int, tuple[type, Any]] = {
    0: (int, None), 1: (bytes, None), 2: (bool, False), 3: (int, 0), 4: (int, 1 << 20), 5: (str, ""), 6: (bytes, None),
    7: (int, None), 8: (bool, True), 9: (str, None), 10: (bool, False), 11: (int, 0), 15: (bytes, None),
}  # fmt: skip
_READS = {int: Reader.unsigned, bytes: Reader.byte_string, bool: Reader.boolean, str: Reader.text}


def read_welcome(payload: bytes) -> Welcome:
    """Reads a welcome. Keys that this client does not know are skipped."""
    reader = Reader(payload)
    found: dict[int, Any] = {}
    last = -1
    for _ in range(reader.map()):
        key = reader.unsigned()
        if key <= last:
            raise ProtocolError("keys that are not in ascending order")
        last = key
        if key in _WELCOME:
            found[key] = _READS[_WELCOME[key][0]](reader)
        else:
            reader.skip()
    reader.finish()
    if 0 not in found or 1 not in found:
        raise ProtocolError("a welcome without a version or a session")
    sizes_fit = len(found[1]) == 16 and all(len(found.get(key) or bytes(32)) == 32 for key in (6, 15))
    texts_fit = len(found.get(5, "").encode()) <= 256 and len(found.get(9, "").encode()) <= 4096
    if not sizes_fit or not texts_fit or found[0] == 0:
        raise ProtocolError("a welcome with a value of another size")
    return Welcome(*[found.get(key, default) for key, (_, default) in _WELCOME.items()])


def read_snapshot(payload: bytes) -> tuple[int, int, bytes]:
    """The reason, the offset and the piece."""
    reader = Reader(payload)
    if reader.array() != 3:
        raise ProtocolError("a snapshot has three items")
    result = reader.unsigned(), reader.unsigned(), reader.byte_string()
    reader.finish()
    return result


def read_failure(payload: bytes) -> tuple[int, str]:
    """The code and the reason of an error or a goodbye."""
    reader = Reader(payload)
    if reader.array() != 2:
        raise ProtocolError("an error has a code and a reason")
    result = reader.unsigned(), _reason(reader)
    reader.finish()
    return result


def read_rejected(payload: bytes) -> tuple[int, int, str]:
    """The sequence number, the code and the reason."""
    reader = Reader(payload)
    if reader.array() != 3:
        raise ProtocolError("a rejection has three items")
    result = reader.unsigned(), reader.unsigned(), _reason(reader)
    reader.finish()
    return result


def _reason(reader: Reader) -> str:
    text = reader.text()
    if len(text.encode()) > 4096:
        raise ProtocolError("a reason of more than 4096 bytes")
    return text
