"""Types around one or two values: optionals, results and ranges."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# A value may be of any type until it is checked, and pyright then knows nothing about the types inside it.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._cbor import Reader
from ..errors import ProtocolError
from ..values import Failure, Range, Some, Success
from .base import Type


class OptionalType(Type):
    def __init__(self, inner: Type, name: str = "Optional") -> None:
        self.inner = inner
        self.name = f"{name}<{inner.name}>"
        self.counts_for_nesting = name == "PresentationState"
        # None of the inner optional would look like none of this one.
        self.wraps = isinstance(inner, OptionalType)

    def parts(self) -> Sequence[Type]:
        return (self.inner,)

    def read(self, reader: Reader) -> Any:
        if reader.null():
            return None
        if reader.array() != 1:
            raise ProtocolError("an optional is null or an array of one value")
        value = self.inner.read(reader)
        return Some(value) if self.wraps else value

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if value is None:
            out.append(0xF6)
            return
        out.append(0x81)
        self.inner.write(out, self.unwrapped(value), self.nested(depth))

    def unwrapped(self, value: Any) -> Any:
        if not self.wraps:
            return value
        if not isinstance(value, Some):
            raise self.wrong(value)
        return value.value

    def merge(self, value: Any, reader: Reader) -> Any:
        if value is None:
            raise ProtocolError("a change inside a null")
        if reader.map() != 1 or reader.unsigned() != 0:
            raise ProtocolError("a change of an optional has the key 0")
        changed = self.inner.change(self.unwrapped(value), reader)
        return Some(changed) if self.wraps else changed

    def summarise(self, out: bytearray, value: Any) -> None:
        if value is None:
            out.append(0xF6)
            return
        out.append(0x81)
        self.inner.summarise(out, self.unwrapped(value))

    def step(self, step: Any) -> tuple[list[Any], Type]:
        """Optionals need no step."""
        steps, part = self.inner.step(step)
        return [0, *steps], part


class ResultType(Type):
    def __init__(self, success: Type, failure: Type) -> None:
        self.cases = (success, failure)
        self.name = f"Result<{success.name}, {failure.name}>"

    def parts(self) -> Sequence[Type]:
        return self.cases

    def read(self, reader: Reader) -> Any:
        if reader.array() != 2:
            raise ProtocolError("a Result has two items")
        case = reader.unsigned()
        if case > 1:
            raise ProtocolError("a Result is a success or a failure")
        return self.make(case, self.cases[case].read(reader))

    @staticmethod
    def make(case: int, value: Any) -> Any:
        return Failure(value) if case else Success(value)

    def split(self, value: Any) -> tuple[int, Any]:
        if isinstance(value, Success):
            return 0, value.value
        if isinstance(value, Failure):
            return 1, value.error
        if isinstance(value, Mapping) and len(value) == 1:
            ((name, inner),) = value.items()
            if name in ("success", "failure"):
                return int(name == "failure"), inner
        raise self.wrong(value)

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        case, inner = self.split(value)
        out += bytes((0x82, case))
        self.cases[case].write(out, inner, depth)

    def merge(self, value: Any, reader: Reader) -> Any:
        case, inner = self.split(value)
        if reader.map() != 1 or reader.unsigned() != case:
            raise ProtocolError("a change inside the other case of a Result")
        return self.make(case, self.cases[case].change(inner, reader))

    def summarise(self, out: bytearray, value: Any) -> None:
        case, inner = self.split(value)
        out += bytes((0x82, case))
        self.cases[case].summarise(out, inner)

    def step(self, step: Any) -> tuple[list[Any], Type]:
        if step in ("success", "failure"):
            case = int(step == "failure")
            return [case], self.cases[case]
        return super().step(step)


class RangeType(Type):
    def __init__(self, name: str, bound: Type) -> None:
        self.bound = bound
        self.name = f"{name}<{bound.name}>"

    def parts(self) -> Sequence[Type]:
        return (self.bound,)

    def read(self, reader: Reader) -> Any:
        if reader.array() != 2:
            raise ProtocolError("a range has two bounds")
        return Range(self.bound.read(reader), self.bound.read(reader))

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not isinstance(value, Range):
            raise self.wrong(value)
        out.append(0x82)
        self.bound.write(out, value.lower, depth)
        self.bound.write(out, value.upper, depth)
