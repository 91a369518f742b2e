"""Types without parts."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnnecessaryIsInstance=false
# A value may be of any type until it is checked, and pyright then knows nothing about the types inside it.

from __future__ import annotations

import decimal
import uuid
from typing import Any

from .. import _cbor
from .._cbor import Item, Reader
from ..errors import InvalidValue, ProtocolError
from ..values import Date, Duration, RelativeURL, TextState
from .base import CannotApply, Type


def _is_integer(value: Any) -> bool:
    # A bool is an int in Python.
    return isinstance(value, int) and not isinstance(value, bool)


def _floating(kind: Type, value: Any) -> float:
    """A float, or the float that is equal to an integer: it is a float on the wire too."""
    if isinstance(value, float):
        return value
    if not _is_integer(value):
        raise kind.wrong(value)
    try:
        number = float(value)
    except OverflowError as error:
        raise kind.wrong(value) from error
    if number != value:
        raise kind.wrong(value)
    return number


class BoolType(Type):
    name = "Bool"

    def read(self, reader: Reader) -> bool:
        return reader.boolean()

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not isinstance(value, bool):
            raise self.wrong(value)
        out.append(0xF5 if value else 0xF4)


class IntegerType(Type):
    def __init__(self, name: str, lowest: int, highest: int) -> None:
        self.name, self.lowest, self.highest = name, lowest, highest

    def read(self, reader: Reader) -> int:
        value = reader.integer()
        if not self.lowest <= value <= self.highest:
            raise ProtocolError(f"{value} is no {self.name}")
        return value

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not _is_integer(value) or not self.lowest <= value <= self.highest:
            raise self.wrong(value)
        _cbor.write_integer(out, value)


class FloatType(Type):
    def __init__(self, name: str, sizes: tuple[int, ...]) -> None:
        self.name, self.sizes = name, sizes

    def read(self, reader: Reader) -> float:
        start = reader.at
        value = reader.floating()
        if reader.at - start not in self.sizes:
            raise ProtocolError(f"{value} is no {self.name}")
        return value

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        start = len(out)
        _cbor.write_float(out, _floating(self, value))
        if len(out) - start not in self.sizes:
            raise self.wrong(value)


class DateType(Type):
    name = "Date"

    def read(self, reader: Reader) -> Any:
        value = reader.floating()
        return value if value != value else Date(value)

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        _cbor.write_float(out, _floating(self, value))


class TextType(Type):
    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, reader: Reader) -> str:
        return reader.text()

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not isinstance(value, str):
            raise self.wrong(value)
        _cbor.write_text(out, value)


class ScalarType(Type):
    name = "Unicode.Scalar"

    def read(self, reader: Reader) -> str:
        number = reader.unsigned()
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise ProtocolError(f"{number} is no Unicode scalar")
        return chr(number)

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not isinstance(value, str) or len(value) != 1 or 0xD800 <= ord(value) < 0xE000:
            raise self.wrong(value)
        _cbor.write_integer(out, ord(value))


class DataType(Type):
    name = "Data"

    def read(self, reader: Reader) -> bytes:
        return reader.byte_string()

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise self.wrong(value)
        _cbor.write_bytes(out, bytes(value))


class UUIDType(Type):
    name = "UUID"

    def read(self, reader: Reader) -> uuid.UUID:
        data = reader.byte_string()
        if len(data) != 16:
            raise ProtocolError("a UUID has 16 bytes")
        return uuid.UUID(bytes=data)

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not isinstance(value, uuid.UUID):
            raise self.wrong(value)
        _cbor.write_bytes(out, value.bytes)


class DecimalType(Type):
    name = "Decimal"

    def read(self, reader: Reader) -> decimal.Decimal:
        text = reader.text()
        try:
            value = decimal.Decimal(text)
        except decimal.InvalidOperation as error:
            raise ProtocolError(f"{text!r} is no Decimal") from error
        if self.text(value) != text:
            raise ProtocolError(f"{text!r} is not how a Decimal is written")
        return value

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if _is_integer(value):
            value = decimal.Decimal(value)
        if not isinstance(value, decimal.Decimal) or value.is_infinite():
            raise self.wrong(value)
        _cbor.write_text(out, self.text(value))

    @staticmethod
    def text(value: decimal.Decimal) -> str:
        return "NaN" if value.is_nan() else format(value, "f")


class URLType(Type):
    name = "URL"

    def read(self, reader: Reader) -> str | RelativeURL:
        if reader.peek() == 3:
            return reader.text()
        if reader.array() != 2:
            raise ProtocolError("a relative URL has two items")
        return RelativeURL(reader.text(), self.read(reader))

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if isinstance(value, str):
            _cbor.write_text(out, value)
        elif isinstance(value, RelativeURL) and isinstance(value.relative, str):
            out.append(0x82)
            _cbor.write_text(out, value.relative)
            self.write(out, value.base)
        else:
            raise self.wrong(value)


class DurationType(Type):
    name = "Duration"

    def read(self, reader: Reader) -> Duration:
        if reader.array() != 2:
            raise ProtocolError("a Duration has two numbers")
        value = Duration(reader.integer(), reader.integer())
        self.check(value, ProtocolError(f"{value} is no Duration"))
        return value

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if not isinstance(value, Duration) or not (_is_integer(value.seconds) and _is_integer(value.attoseconds)):
            raise self.wrong(value)
        self.check(value, self.wrong(value))
        out.append(0x82)
        _cbor.write_integer(out, value.seconds)
        _cbor.write_integer(out, value.attoseconds)

    @staticmethod
    def check(value: Duration, error: Exception) -> None:
        if abs(value.attoseconds) >= 10**18 or value.seconds * value.attoseconds < 0:
            raise error


class OpaqueType(Type):
    """A type whose form only its own code knows, and a type that this client does not know: a CBOR item."""

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, reader: Reader) -> Item:
        return reader.item()

    def merge(self, value: Any, reader: Reader) -> Any:
        raise CannotApply(f"only the code of {self.name} knows its changes")

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        _cbor.write_item(out, value)

    @property
    def keeps(self) -> bool:
        # What is replaced in its summary, only its code knows.
        return False


class NeverType(Type):
    name = "Never"

    def read(self, reader: Reader) -> Any:
        raise ProtocolError("a value of a type without values")

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        raise InvalidValue("this state has no actions")


class TextStateType(Type):
    name = "TextState"

    def read(self, reader: Reader) -> TextState:
        pieces: list[tuple[str, Item]] = []
        for _ in range(reader.array()):
            if reader.array() != 2:
                raise ProtocolError("a piece of a TextState has two items")
            pieces.append((reader.text(), reader.item()))
        return TextState(tuple(pieces))

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if isinstance(value, str):
            value = TextState(((value, _cbor.Map(())),) if value else ())
        if not isinstance(value, TextState) or not _cbor.is_array(value.pieces):
            raise self.wrong(value)
        if not all(_cbor.is_pair(piece) and isinstance(piece[0], str) for piece in value.pieces):
            raise self.wrong(value)
        _cbor.write_item(out, tuple((text, style) for text, style in value.pieces))
