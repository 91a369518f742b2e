"""Arrays, sets and dictionaries, whose elements have no ids."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# A value may be of any type until it is checked, and pyright then knows nothing about the types inside it.

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

from .. import _cbor
from .._cbor import Reader
from ..errors import InvalidValue, ProtocolError
from .base import Cached, Type
from .windows import window_step


def changes(reader: Reader, highest: int) -> Iterator[int]:
    """The keys of a change of a collection, each followed by its value in `reader`."""
    last = -1
    for _ in range(reader.map()):
        key = reader.unsigned()
        if not last < key <= highest:
            raise ProtocolError("a change of a collection with a key that it does not have")
        last = key
        yield key


class ArrayType(Type):
    counts_for_nesting = True

    def __init__(self, element: Type) -> None:
        self.element = element
        self.name = f"Array<{element.name}>"

    def parts(self) -> Sequence[Type]:
        return (self.element,)

    def read(self, reader: Reader) -> tuple[Any, ...]:
        read = self.element.read
        return tuple([read(reader) for _ in range(reader.array())])

    def elements(self, value: Any) -> Sequence[Any]:
        if not _cbor.is_array(value):
            raise self.wrong(value)
        sequence: Sequence[Any] = value
        return sequence

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        elements, depth = self.elements(value), self.nested(depth)
        _cbor.write_head(out, 4, len(elements))
        for element in elements:
            self.element.write(out, element, depth)

    def merge(self, value: Any, reader: Reader) -> Any:
        result = list(value)
        for key in changes(reader, 1):
            if key == 0:
                count = reader.array()
                if count < 2:
                    raise ProtocolError("a splice has an offset and a number")
                offset, removed = reader.unsigned(), reader.unsigned()
                if offset + removed > len(result):
                    raise ProtocolError("a splice beyond the end of an array")
                result[offset : offset + removed] = [self.element.read(reader) for _ in range(count - 2)]
            else:
                for _ in range(reader.map()):
                    offset = reader.unsigned()
                    if offset >= len(result):
                        raise ProtocolError("a change beyond the end of an array")
                    result[offset] = self.element.change(result[offset], reader)
        return tuple(result)

    def summarise(self, out: bytearray, value: Any) -> None:
        _cbor.write_head(out, 4, len(value))
        for element in value:
            self.element.summarise(out, element)

    def step(self, step: Any) -> tuple[list[Any], Type]:
        return window_step(self, step) or super().step(step)


class SetType(Type):
    counts_for_nesting = True

    def __init__(self, member: Type) -> None:
        self.member = member
        self.name = f"Set<{member.name}>"
        self.is_frozenset = Cached(lambda: member.is_hashable)

    def parts(self) -> Sequence[Type]:
        return (self.member,)

    def read(self, reader: Reader) -> Any:
        return self.collect(self.members(reader).values())

    def members(self, reader: Reader) -> dict[bytes, Any]:
        result: dict[bytes, Any] = {}
        last: bytes | None = None
        for _ in range(reader.array()):
            start = reader.at
            value = self.member.read(reader)
            last = reader.ascending(start, last)
            result[last] = value
        return result

    def collect(self, members: Any) -> Any:
        return frozenset(members) if self.is_frozenset else tuple(members)

    def by_encoding(self, value: Any, depth: int = 0) -> dict[bytes, Any]:
        # Not an iterator, which has no members left for the schema of the next hub.
        if not isinstance(value, Set) and not _cbor.is_array(value):
            raise self.wrong(value)
        result = {}
        for member in value:
            out = bytearray()
            self.member.write(out, member, depth)
            result[bytes(out)] = member
        return result

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        members = sorted(self.by_encoding(value, self.nested(depth)))
        _cbor.write_head(out, 4, len(members))
        for member in members:
            out += member

    def merge(self, value: Any, reader: Reader) -> Any:
        result = self.by_encoding(value)
        for key in changes(reader, 1):
            for encoded, member in self.members(reader).items():
                if (encoded in result) == (key == 1):
                    raise ProtocolError("a change of a set that does not fit its members")
                if key == 0:
                    del result[encoded]
                else:
                    result[encoded] = member
        return self.collect(result[encoded] for encoded in sorted(result))


class DictionaryType(Type):
    counts_for_nesting = True

    def __init__(self, key: Type, value: Type) -> None:
        self.key, self.value = key, value
        self.name = f"Dictionary<{key.name}, {value.name}>"
        self.is_dict = Cached(lambda: key.is_hashable)

    def parts(self) -> Sequence[Type]:
        return (self.key, self.value)

    @property
    def hashes(self) -> bool:
        return False

    def read(self, reader: Reader) -> Any:
        return self.collect(self.pairs(reader, self.value.read))

    def pairs(self, reader: Reader, read: Callable[[Reader], Any]) -> dict[bytes, tuple[Any, Any]]:
        result: dict[bytes, tuple[Any, Any]] = {}
        last: bytes | None = None
        for _ in range(reader.map()):
            start = reader.at
            key = self.key.read(reader)
            last = reader.ascending(start, last)
            result[last] = (key, read(reader))
        return result

    def collect(self, pairs: dict[bytes, tuple[Any, Any]]) -> Any:
        """A dict, or pairs if Python cannot hash the keys."""
        return dict(pairs.values()) if self.is_dict else tuple(pairs.values())

    def by_encoding(self, value: Any) -> dict[bytes, tuple[Any, Any]]:
        if isinstance(value, Mapping):
            return {self.key.encoded(key): (key, item) for key, item in value.items()}
        if not _cbor.is_array(value) or not all(map(_cbor.is_pair, value)):
            raise self.wrong(value)
        result: dict[bytes, tuple[Any, Any]] = {}
        for key, item in value:
            encoded = self.key.encoded(key)
            if encoded in result:
                raise InvalidValue(f"a value of type {self.name} has the key {_cbor.brief(key)} twice")
            result[encoded] = (key, item)
        return result

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        depth = self.nested(depth)
        self.write_pairs(out, value, lambda out, item: self.value.write(out, item, depth))

    def summarise(self, out: bytearray, value: Any) -> None:
        self.write_pairs(out, value, self.value.summarise)

    def write_pairs(self, out: bytearray, value: Any, write: Callable[[bytearray, Any], None]) -> None:
        pairs = self.by_encoding(value)
        _cbor.write_head(out, 5, len(pairs))
        for key in sorted(pairs):
            out += key
            write(out, pairs[key][1])

    def merge(self, value: Any, reader: Reader) -> Any:
        result = self.by_encoding(value)
        for key in changes(reader, 2):
            if key == 0:
                last: bytes | None = None
                for _ in range(reader.array()):
                    start = reader.at
                    self.key.read(reader)
                    last = reader.ascending(start, last)
                    if result.pop(last, None) is None:
                        raise ProtocolError("the removal of a key that is not there")
            elif key == 1:
                inserted = self.pairs(reader, self.value.read)
                if not result.keys().isdisjoint(inserted):
                    raise ProtocolError("the insertion of a key that is there")
                result.update(inserted)
            else:
                last = None
                for _ in range(reader.map()):
                    start = reader.at
                    name = self.key.read(reader)
                    last = reader.ascending(start, last)
                    if last not in result:
                        raise ProtocolError("the change of a key that is not there")
                    result[last] = (name, self.value.change(result[last][1], reader))
        return self.collect({encoded: result[encoded] for encoded in sorted(result)})

    def change(self, value: Any, reader: Reader) -> Any:
        if reader.peek() == 5:
            return self.merge(value, reader)
        if reader.array() != 1:
            raise ProtocolError("a new dictionary is an array of one map")
        return self.read(reader)
