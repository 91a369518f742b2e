"""What all types of a schema have.

A `Type` has what one type of a schema needs to read and write values, changes and summaries (PROTOCOL.md, 9, 10 and 13). Values
are never changed in place: a change returns a new value that shares what did not change, so that a change that does not fit
leaves the old value as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._cbor import Reader, brief
from .._hashing import xxh3
from ..errors import InvalidValue, ProtocolError, UnknownPart

MAXIMUM_NESTING = 64
"""How deep values of types that can contain themselves may be nested (PROTOCOL.md, 5.7)."""


class CannotApply(ProtocolError):
    """A change that only the feature's code can apply: the part is attached again."""


class Type:
    """A type of a schema. `name` is as people write it."""

    name = ""
    counts_for_nesting = False

    def read(self, reader: Reader) -> Any:
        """Reads a value."""
        raise NotImplementedError

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        """Appends a value. `depth` counts the values around it that can contain themselves."""
        raise NotImplementedError

    def change(self, value: Any, reader: Reader) -> Any:
        """Reads a change of `value`, and returns the new value."""
        if reader.peek() == 5:
            return self.merge(value, reader)
        return self.read(reader)

    def merge(self, value: Any, reader: Reader) -> Any:
        """Reads a change inside `value`: a map."""
        raise ProtocolError(f"a change inside a value of type {self.name}")

    def summarise(self, out: bytearray, value: Any) -> None:
        """Appends the summary of a value, from which hashes are computed."""
        self.write(out, value)

    def parts(self) -> Sequence[Type]:
        """The types directly inside."""
        return ()

    def step(self, step: Any) -> tuple[list[Any], Type]:
        """The steps on the wire for one step of a path, and the type to which they lead."""
        raise UnknownPart(f"no step {step!r} leads into a value of type {self.name}")

    # Values as keys

    @property
    def is_hashable(self) -> bool:
        """True if Python can hash the values."""
        return all(part.hashes for part in reachable(self))

    @property
    def hashes(self) -> bool:
        """True if the values have a hash, provided that the values inside have one."""
        return True

    @property
    def is_exact(self) -> bool:
        """True if values keep everything that the hub sends, so that hashes can be compared."""
        return all(part.keeps for part in reachable(self))

    @property
    def keeps(self) -> bool:
        """True if reading drops nothing outside of the values inside."""
        return True

    # Helpers

    def encoded(self, value: Any) -> bytes:
        """The bytes of a value."""
        out = bytearray()
        try:
            self.write(out, value)
        except RecursionError as error:
            raise InvalidValue("the values are nested too deep") from error
        return bytes(out)

    def hash(self, value: Any) -> int:
        """The hash of a value (PROTOCOL.md, 13)."""
        out = bytearray()
        self.summarise(out, value)
        return xxh3(bytes(out))

    def wrong(self, value: Any) -> InvalidValue:
        """The error for a value that is not of this type."""
        return InvalidValue(f"{brief(value)} is not a value of type {self.name}")

    def nested(self, depth: int) -> int:
        """The depth of the values inside."""
        if not self.counts_for_nesting:
            return depth
        if depth >= MAXIMUM_NESTING:
            raise InvalidValue(f"the values are nested more than {MAXIMUM_NESTING} deep")
        return depth + 1


def reachable(start: Type) -> Iterator[Type]:
    """The type and those inside it, each once."""
    seen, waiting = {id(start)}, [start]
    while waiting:
        one = waiting.pop()
        yield one
        for part in one.parts():
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)


class Cached:
    """An answer about a type, found at its first use, because recursive types are not complete before."""

    def __init__(self, ask: Callable[[], bool]) -> None:
        self.ask = ask
        self.answer: bool | None = None

    def __bool__(self) -> bool:
        if self.answer is None:
            self.answer = self.ask()
        return self.answer
