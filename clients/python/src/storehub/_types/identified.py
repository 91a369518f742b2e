"""Identified arrays and stacks (PROTOCOL.md, 10.2)."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# A value may be of any type until it is checked, and pyright then knows nothing about the types inside it.

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from .. import _cbor
from .._cbor import Reader
from .._hashing import sequence_hash, xxh3
from ..errors import ProtocolError
from ..values import IdentifiedArray, StackElement
from .base import Cached, CannotApply, Type
from .collections import changes
from .definitions import StructType
from .scalars import IntegerType
from .steps import Identity, RawStep
from .windows import window_step


class IdentifiedType(Type):
    """An identified array, or a stack."""

    counts_for_nesting = True

    def __init__(self, name: str, identity: Type, element: Type) -> None:
        self.id, self.element = identity, element
        self.name = name
        self.has_plain_ids = Cached(lambda: identity.is_hashable)

    def parts(self) -> Sequence[Type]:
        return (self.id, self.element)

    # What a stack does in another way

    def read_element(self, reader: Reader) -> Any:
        return self.element.read(reader)

    def write_element(self, out: bytearray, element: Any, depth: int) -> None:
        self.element.write(out, element, depth)

    def summarise_element(self, out: bytearray, element: Any) -> None:
        self.element.summarise(out, element)

    def change_element(self, element: Any, reader: Reader) -> Any:
        return self.element.change(element, reader)

    def identity(self, element: Any) -> Any:
        if not isinstance(self.element, StructType) or not self.element.id_path:
            raise CannotApply(f"the ids of {self.element.name} are not in the schema")
        return self.element.identity(element)

    # Values

    def key(self, identity: Any) -> Hashable:
        """An id as a key: itself, or its bytes if Python cannot hash it."""
        return identity if self.has_plain_ids else self.id.encoded(identity)

    def identify(self, element: Any) -> Hashable:
        return self.key(self.identity(element))

    def array(self, items: list[Any], index: dict[Hashable, int] | None = None) -> IdentifiedArray[Any, Any]:
        return IdentifiedArray(items, self.identify, index)

    def read(self, reader: Reader) -> Any:
        return self.array([self.read_element(reader) for _ in range(reader.array())])

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not _cbor.is_array(value):
            raise self.wrong(value)
        depth = self.nested(depth)
        _cbor.write_head(out, 4, len(value))
        for element in value:
            self.write_element(out, element, depth)

    def summarise(self, out: bytearray, value: Any) -> None:
        hashes = []
        for element in value:
            inner = bytearray()
            self.summarise_element(inner, element)
            hashes.append(xxh3(bytes(inner)))
        out.append(0x50)
        out += len(hashes).to_bytes(8, "little")
        out += sequence_hash(hashes).to_bytes(8, "little")

    def merge(self, value: IdentifiedArray[Any, Any], reader: Reader) -> Any:
        result = Rearrangement(self, value)
        for key in changes(reader, 3):
            count = reader.array()
            if key == 0:
                result.remove([self.key(self.id.read(reader)) for _ in range(count)])
                continue
            if count % 2:
                raise ProtocolError("ids and offsets that are not in pairs")
            if key == 1:
                for _ in range(count // 2):
                    offset = reader.unsigned()
                    result.take_out(offset, self.key(self.id.read(reader)))
            elif key == 2:
                for _ in range(count // 2):
                    offset = reader.unsigned()
                    result.insert(offset, self.read_element(reader))
            else:
                result.place_all()
                for _ in range(count // 2):
                    identity = self.key(self.id.read(reader))
                    result.change(identity, reader)
        return result.finish()

    def step(self, step: Any) -> tuple[list[Any], Type]:
        window = window_step(self, step)
        if window is not None:
            return window
        if isinstance(step, Identity):
            return [RawStep(b"\x81" + self.id.encoded(step.value))], self.element
        return super().step(step)


class StackType(IdentifiedType):
    """Its elements are pairs of an id and a value."""

    def __init__(self, element: Type) -> None:
        super().__init__(f"StackState<{element.name}>", IntegerType("Int", -(1 << 63), (1 << 63) - 1), element)

    def read_element(self, reader: Reader) -> Any:
        if reader.array() != 2:
            raise ProtocolError("an element of a stack has two items")
        return StackElement(self.id.read(reader), self.element.read(reader))

    def pair(self, element: Any) -> tuple[Any, Any]:
        if isinstance(element, StackElement):
            return element.id, element.element
        raise self.wrong(element)

    def write_element(self, out: bytearray, element: Any, depth: int) -> None:
        identity, value = self.pair(element)
        out.append(0x82)
        self.id.write(out, identity)
        self.element.write(out, value, depth)

    def summarise_element(self, out: bytearray, element: Any) -> None:
        identity, value = self.pair(element)
        out.append(0x82)
        self.id.write(out, identity)
        self.element.summarise(out, value)

    def change_element(self, element: Any, reader: Reader) -> Any:
        identity, value = self.pair(element)
        return StackElement(identity, self.element.change(value, reader))

    def identity(self, element: Any) -> Any:
        return self.pair(element)[0]


class Rearrangement:
    """The change of an identified array, in the order of section 10.2."""

    def __init__(self, kind: IdentifiedType, value: IdentifiedArray[Any, Any]) -> None:
        self.kind, self.value = kind, value
        self.items: list[Any] = list(value)
        self.taken: list[tuple[int, Any]] = []
        self.inserted: list[tuple[int, Any]] = []
        self.gone: set[int] = set()
        self.is_placed = False
        self.index: dict[Hashable, int] | None = None
        self.added: list[Hashable] = []

    def place(self, identity: Hashable) -> int:
        place = self.value.place(identity)
        if place is None or place in self.gone:
            raise ProtocolError("the change of an element that is not there")
        return place

    def remove(self, identities: list[Hashable]) -> None:
        for identity in identities:
            self.gone.add(self.place(identity))

    def take_out(self, offset: int, identity: Hashable) -> None:
        place = self.place(identity)
        self.gone.add(place)
        self.ascend(self.taken, offset)
        self.taken.append((offset, self.items[place]))

    def insert(self, offset: int, element: Any) -> None:
        self.ascend(self.inserted, offset)
        self.inserted.append((offset, element))

    @staticmethod
    def ascend(placed: list[tuple[int, Any]], offset: int) -> None:
        if placed and placed[-1][0] >= offset:
            raise ProtocolError("offsets that do not ascend")

    def place_all(self) -> None:
        """Places what was taken out and inserted."""
        if self.is_placed:
            return
        self.is_placed = True
        if not self.gone and not self.inserted:
            self.index = self.value._index
            return
        if self.gone:
            self.items = [item for place, item in enumerate(self.items) if place not in self.gone]
        placed = sorted(self.taken + self.inserted, key=lambda pair: pair[0])
        if any(one[0] == other[0] for one, other in zip(placed, placed[1:])):
            raise ProtocolError("two elements for one offset")
        if self.inserted:
            moved = {self.kind.identify(element) for _, element in self.taken}
            for _, element in self.inserted:
                identity = self.kind.identify(element)
                place = self.value.place(identity)
                if identity in moved or (place is not None and place not in self.gone):
                    raise ProtocolError("the insertion of an element that is there")
                moved.add(identity)
        count = len(self.items) + len(placed)
        if placed and placed[-1][0] >= count:
            raise ProtocolError("an element beyond the end of an array")
        if placed and placed[0][0] == len(self.items):
            self.items.extend(element for _, element in placed)
        elif len(placed) < 8:
            for offset, element in placed:
                self.items.insert(offset, element)
        else:
            rest, result, following = iter(self.items), [], iter(placed)
            offset, element = next(following)
            for place in range(count):
                if place == offset:
                    result.append(element)
                    offset, element = next(following, (-1, None))
                else:
                    result.append(next(rest))
            self.items = result

    def change(self, identity: Hashable, reader: Reader) -> None:
        if self.index is None:
            self.index = {self.kind.identify(item): place for place, item in enumerate(self.items)}
        place = self.index.get(identity)
        if place is None:
            raise ProtocolError("the change of an element that is not there")
        changed = self.kind.change_element(self.items[place], reader)
        if self.kind.identify(changed) != identity:
            raise ProtocolError("a change that gives an element another id")
        self.items[place] = changed

    def finish(self) -> IdentifiedArray[Any, Any]:
        self.place_all()
        return self.kind.array(self.items, self.index)
