"""The golden values and conversations of Tests/Golden, byte by byte."""

from __future__ import annotations

import unittest
from typing import Any

from storehub import _cbor, _messages as wire
from storehub._cbor import Map, Reader
from storehub._parts import Subscription
from storehub._types import RawStep
from storehub._types.definitions import CaseValuesType, EnumType, StructType
from storehub._types.identified import IdentifiedType
from storehub._types.wrapped import OptionalType, ResultType
from storehub._types.windows import window_step
from storehub._types.steps import WindowStep
from storehub.errors import ProtocolError
from storehub.paths import PlainPath
from storehub.schema import Schema, Types

from .golden import Entry, entries


class GoldenValues(unittest.TestCase):
    """Values, changes and hashes of every kind of container."""

    def test_each_delta_leads_from_the_old_value_to_the_new_one(self) -> None:
        count = 0
        for entry in entries("deltas.txt"):
            if entry.title == "schema":
                types = Types(Schema(entry.data("schema")))
                continue
            with self.subTest(line=entry.line):
                old = read(types.state, entry.data("old"))
                reader = Reader(entry.data("delta"))
                new = types.state.change(old, reader)
                reader.finish()
                self.assertEqual(types.state.encoded(new), entry.data("new"))
                # The old value is as it was.
                self.assertEqual(types.state.encoded(old), entry.data("old"))
                self.assertEqual(new, read(types.state, entry.data("new")))
                count += 1
        self.assertGreater(count, 40)

    def test_each_hash_is_that_of_the_summary(self) -> None:
        count = 0
        for entry in entries("hashes.txt"):
            if entry.title == "schema":
                types = Types(Schema(entry.data("schema")))
                continue
            with self.subTest(line=entry.line):
                value = read(types.state, entry.data("value"))
                self.assertEqual(types.state.encoded(value), entry.data("value"))
                summary = bytearray()
                types.state.summarise(summary, value)
                self.assertEqual(bytes(summary), entry.data("summary"))
                self.assertEqual(types.state.hash(value), int(entry.values["hash"], 16))
                count += 1
        self.assertGreater(count, 10)

    def test_a_truncated_or_altered_delta_is_refused_or_gives_a_value(self) -> None:
        """No bytes raise anything but a ProtocolError, and none change the old value."""
        for entry in entries("deltas.txt"):
            if entry.title == "schema":
                types = Types(Schema(entry.data("schema")))
                continue
            old, delta = read(types.state, entry.data("old")), entry.data("delta")
            for place in range(len(delta)):
                for altered in (delta[:place], delta[:place] + bytes([delta[place] ^ 0x21]) + delta[place + 1 :]):
                    try:
                        new = types.state.change(old, Reader(altered))
                        types.state.encoded(new)
                    except ProtocolError:
                        pass
            self.assertEqual(types.state.encoded(old), entry.data("old"))


class GoldenConversations(unittest.TestCase):
    """The frames of recorded conversations."""

    def test_the_parts_are_what_the_hub_sent(self) -> None:
        described = [entry for entry in entries("scopes.txt") if entry.title.startswith("schema")]
        schemas = {entry.header[3]: Schema(entry.data("payload")) for entry in described if not entry.header[2]}
        for name in ("session.txt", "scopes.txt", "resume.txt", "bookmarks.txt", "windows.txt"):
            with self.subTest(file=name):
                self.replay(name, {root: Types(schema) for root, schema in schemas.items()})

    def replay(self, name: str, types: dict[int, Types]) -> None:
        parts: dict[tuple[str, int], Subscription] = {}
        known: dict[bytes, Subscription] = {}
        for entry in entries(name):
            if entry.mark == "@":
                continue
            _, kind, _, scope, _ = entry.header
            place = (entry.connection, scope)
            if kind == wire.ATTACH:
                parts[place] = self.attached(entry, types, known)
            elif place in parts and kind in (wire.SNAPSHOT, wire.DELTA, wire.BOOKMARK, wire.ABSENT, wire.HASH):
                self.apply(parts[place], entry)
                known[raw_path(entry, parts[place])] = parts[place]
            elif kind == wire.WELCOME:
                wire.read_welcome(entry.data("payload"))
            elif kind in (wire.ERROR, wire.GOODBYE):
                wire.read_failure(entry.data("payload"))
            elif kind == wire.REJECTED:
                wire.read_rejected(entry.data("payload"))

    def attached(self, entry: Entry, types: dict[int, Types], known: dict[bytes, Subscription]) -> Subscription:
        request = _cbor.decoded(entry.data("payload"))
        assert isinstance(request, Map)
        keys: dict[Any, Any] = dict(request.pairs)
        part = Subscription(PlainPath((), None, keys.get(2, 0)), 1 << 20)
        root = types.get(part.root)
        part.type = root.state if root is None else walk(root.state, keys.get(0, ()))
        part.steps = [RawStep(_cbor.encoded((keys.get(0, ()), part.root)))]
        old = known.get(part.steps[0].data) if 1 in keys else None
        if old is not None:
            part._set(old.value, old.is_present, keys[1])
        # The client writes the same bytes.
        steps = [RawStep(_cbor.encoded(step)) for step in keys.get(0, ())]
        self.assertEqual(wire.attach(steps, keys.get(1), part.root), entry.data("payload"), f"line {entry.line}")
        return part

    def apply(self, part: Subscription, entry: Entry) -> None:
        _, kind, flags, scope, revision = entry.header
        frame = wire.Frame(kind, flags, scope, revision, entry.data("payload"))
        with self.subTest(line=entry.line):
            if kind == wire.HASH:
                self.assertEqual(part.type.hash(part.value), wire.read_number(frame.payload))
                return
            before = part._pieces
            {wire.SNAPSHOT: part.snapshot, wire.DELTA: part.delta, wire.BOOKMARK: part.bookmark,
             wire.ABSENT: part.absent}[kind](frame)  # fmt: skip
            self.assertEqual(part.revision if flags or kind != wire.SNAPSHOT else revision, revision)
            if kind == wire.SNAPSHOT and flags and before is None:
                self.assertEqual(part.type.encoded(part.value), wire.read_snapshot(frame.payload)[2])

    def test_the_clients_frames_have_the_same_bytes(self) -> None:
        for name in ("session.txt", "resume.txt"):
            for entry in entries(name):
                if entry.mark == ">" and entry.header[1] == wire.HELLO:
                    keys: dict[Any, Any] = dict(_cbor.decoded(entry.data("payload")).pairs)
                    if 5 not in keys and not (2 in keys and 3 not in keys):
                        hello = wire.hello(keys.get(4, ""), keys.get(2), keys.get(3, 0), keys.get(6))
                        self.assertEqual(hello, entry.data("payload"), f"{name}:{entry.line}")


def raw_path(entry: Entry, part: Subscription) -> bytes:
    return part.steps[0].data


def walk(kind: Any, steps: Any) -> Any:
    """The type to which steps on the wire lead."""
    for step in steps:
        if isinstance(step, tuple) and len(step) == 2:
            kind = window_step(kind, WindowStep(*step))[1]
        elif isinstance(step, tuple):
            assert isinstance(kind, IdentifiedType)
            kind = kind.element
        elif isinstance(kind, StructType):
            kind = kind.fields[step].type
        elif isinstance(kind, OptionalType):
            kind = kind.inner
        elif isinstance(kind, ResultType):
            kind = kind.cases[step]
        elif isinstance(kind, EnumType):
            case = kind.cases[step]
            kind = case.values[0].type if len(case.values) == 1 else CaseValuesType("", case)
        else:
            kind = kind.case.values[step].type
    return kind


def read(kind: Any, data: bytes) -> Any:
    reader = Reader(data)
    value = kind.read(reader)
    reader.finish()
    return value


if __name__ == "__main__":
    unittest.main()
