"""Deterministic CBOR, as section 5 of PROTOCOL.md restricts it.

Not cbor2: its dictionaries take 1, 1.0 and true for one key, it loses the payload of a NaN, orders keys by length and accepts
other forms than the deterministic one. Two equal values must have equal bytes here, because hashes are computed from them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any, Union

from .errors import InvalidValue, ProtocolError

Item = Union[None, bool, int, float, str, bytes, "tuple[Item, ...]", "Map"]
"""A CBOR item of unknown type. Arrays are tuples."""

MAXIMUM_DEPTH = 320
"""The nesting of items that a reader accepts (PROTOCOL.md, 5.7)."""

_SHORT, _SINGLE, _DOUBLE = struct.Struct(">e"), struct.Struct(">f"), struct.Struct(">d")
_FLOATS = {25: (_SHORT, 16, 10), 26: (_SINGLE, 32, 23), 27: (_DOUBLE, 64, 52)}


class NaN(float):
    """A NaN with the bits of its 64-bit form, which Python's own conversions may change."""

    bits: int

    def __new__(cls, bits: int) -> NaN:
        number = super().__new__(cls, "nan")
        number.bits = bits
        return number


class Map:
    """A CBOR map of unknown type: pairs in the order of their encoded keys."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: Iterable[tuple[Item, Item]]) -> None:
        self.pairs = tuple(pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and encoded(self) == encoded(other)

    def __hash__(self) -> int:
        return hash(encoded(self))

    def __repr__(self) -> str:
        return f"Map({self.pairs!r})"


# Writing


def is_array(value: Any) -> bool:
    """True for what is written as an array: a sequence that is no string. A set has no order, and an iterator ends."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))


def is_pair(value: Any) -> bool:
    """True for an array of two items; the text "ab" has two as well."""
    return is_array(value) and len(value) == 2


def brief(value: Any) -> str:
    """A value in the text of an error."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        # Python writes no integer of thousands of digits, and no list in thousands of lists.
        text = f"a value of {type(value)}"
    return text if len(text) < 80 else text[:79] + "…"


def write_head(out: bytearray, major: int, argument: int) -> None:
    """Appends an initial byte of a major type (0 to 7) with its argument, which is below 2^64."""
    if argument < 24:
        out.append(major << 5 | argument)
    elif argument < 1 << 8:
        out += bytes((major << 5 | 24, argument))
    elif argument < 1 << 16:
        out.append(major << 5 | 25)
        out += argument.to_bytes(2, "big")
    elif argument < 1 << 32:
        out.append(major << 5 | 26)
        out += argument.to_bytes(4, "big")
    else:
        out.append(major << 5 | 27)
        out += argument.to_bytes(8, "big")


def write_integer(out: bytearray, value: int) -> None:
    """Appends an integer, as a bignum beyond 64 bits."""
    major, argument = (0, value) if value >= 0 else (1, -1 - value)
    if argument < 1 << 64:
        write_head(out, major, argument)
        return
    digits = argument.to_bytes((argument.bit_length() + 7) // 8, "big")
    out.append(0xC2 + major)
    write_head(out, 2, len(digits))
    out += digits


def write_text(out: bytearray, value: str) -> None:
    """Appends a text."""
    try:
        data = value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValue(f"the text {value!r} has an unpaired surrogate, which UTF-8 cannot write") from error
    write_head(out, 3, len(data))
    out += data


def write_bytes(out: bytearray, value: bytes) -> None:
    """Appends a byte string."""
    write_head(out, 2, len(value))
    out += value


def write_float(out: bytearray, value: float) -> None:
    """Appends a float in the shortest form that keeps the value."""
    if isinstance(value, NaN):
        _write_nan(out, value.bits)
        return
    if value != value:
        # Without a payload that was read.
        out += b"\xf9\x7e\x00"
        return
    double = _DOUBLE.pack(value)
    for code, form in ((0xF9, _SHORT), (0xFA, _SINGLE)):
        try:
            short = form.pack(value)
        except OverflowError:
            continue
        if _DOUBLE.pack(form.unpack(short)[0]) == double:
            out.append(code)
            out += short
            return
    out.append(0xFB)
    out += double


def _write_nan(out: bytearray, bits: int) -> None:
    for code, size, fraction, exponent in ((0xF9, 2, 10, 5), (0xFA, 4, 23, 8)):
        dropped = 52 - fraction
        if bits & ((1 << dropped) - 1) == 0:
            kept = (bits & ((1 << 52) - 1)) >> dropped
            short = (bits >> 63 << exponent | (1 << exponent) - 1) << fraction | kept
            out.append(code)
            out += short.to_bytes(size, "big")
            return
    out.append(0xFB)
    out += bits.to_bytes(8, "big")


def write_item(out: bytearray, value: Item, depth: int = MAXIMUM_DEPTH) -> None:
    """Appends an item of unknown type, nested at most `depth` deep."""
    if depth == 0:
        raise InvalidValue("the items are nested too deep")
    if value is None:
        out.append(0xF6)
    elif value is True:
        out.append(0xF5)
    elif value is False:
        out.append(0xF4)
    elif isinstance(value, int):
        write_integer(out, value)
    elif isinstance(value, float):
        write_float(out, value)
    elif isinstance(value, str):
        write_text(out, value)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        write_bytes(out, bytes(value))
    elif isinstance(value, Map):
        _write_map(out, value, depth - 1)
    elif is_array(value):
        write_head(out, 4, len(value))
        for element in value:
            write_item(out, element, depth - 1)
    else:
        raise InvalidValue(f"{brief(value)} is no CBOR item: an array is a tuple or a list, and a map a storehub.Map of pairs")


def _write_map(out: bytearray, value: Map, depth: int) -> None:
    pairs: dict[bytes, bytes] = {}
    for pair in value.pairs:
        if not is_pair(pair):
            raise InvalidValue(f"{brief(pair)} is no pair of a key and a value of a storehub.Map")
        key = encoded(pair[0], depth)
        if key in pairs:
            raise InvalidValue(f"a storehub.Map has the key {brief(pair[0])} twice")
        pairs[key] = encoded(pair[1], depth)
    write_head(out, 5, len(pairs))
    for key in sorted(pairs):
        out += key
        out += pairs[key]


def encoded(value: Item, depth: int = MAXIMUM_DEPTH) -> bytes:
    """The bytes of an item of unknown type, nested at most `depth` deep."""
    out = bytearray()
    write_item(out, value, depth)
    return bytes(out)


# Reading


class Reader:
    """Reads items from bytes one after another, and refuses every form but the deterministic one."""

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at, self.end = data, at, len(data)

    def head(self) -> tuple[int, int]:
        """The major type of the next item, and its argument; for major type 7 its additional information."""
        at = self.at
        if at >= self.end:
            raise ProtocolError("the bytes end where an item begins")
        initial = self.data[at]
        major, info = initial >> 5, initial & 31
        if info < 24 or major == 7:
            self.at = at + 1
            return major, info
        if info > 27:
            raise ProtocolError("an indefinite or reserved length")
        size = 1 << (info - 24)
        self.at = at + 1 + size
        if self.at > self.end:
            raise ProtocolError("the bytes end inside an item")
        argument = int.from_bytes(self.data[at + 1 : self.at], "big")
        if argument < (24 if size == 1 else 1 << (4 * size)):
            raise ProtocolError("a number that is not in the shortest form")
        return major, argument

    def peek(self) -> int:
        """The major type of the next item."""
        if self.at >= self.end:
            raise ProtocolError("the bytes end where an item begins")
        return self.data[self.at] >> 5

    def null(self) -> bool:
        """Reads a null if the next item is one; returns true if it was."""
        if self.at < self.end and self.data[self.at] == 0xF6:
            self.at += 1
            return True
        return False

    def unsigned(self) -> int:
        """An unsigned integer below 2^64."""
        at = self.at
        if at < self.end and self.data[at] < 24:
            self.at = at + 1
            return self.data[at]
        major, argument = self.head()
        if major != 0:
            raise ProtocolError("an unsigned integer is missing")
        return argument

    def array(self) -> int:
        """The head of an array: the number of its items."""
        return self._count(4, 1)

    def map(self) -> int:
        """The head of a map: the number of its pairs."""
        return self._count(5, 2)

    def _count(self, wanted: int, least: int) -> int:
        major, count = self.head()
        if major != wanted:
            raise ProtocolError("an array is missing" if wanted == 4 else "a map is missing")
        # Each item has at least a byte: what follows allocates no more than what has arrived.
        if count * least > self.end - self.at:
            raise ProtocolError("a length beyond the end of the bytes")
        return count

    def integer(self) -> int:
        """An integer of any size."""
        major, argument = self.head()
        if major == 0:
            return argument
        if major == 1:
            return -1 - argument
        if major == 6 and argument in (2, 3):
            digits = self.byte_string()
            if len(digits) < 9 or digits[0] == 0:
                raise ProtocolError("a bignum that is not in the shortest form")
            magnitude = int.from_bytes(digits, "big")
            return magnitude if argument == 2 else -1 - magnitude
        raise ProtocolError("an integer is missing")

    def byte_string(self) -> bytes:
        """A byte string."""
        return self._string(2)

    def text(self) -> str:
        """A text."""
        try:
            return self._string(3).decode()
        except UnicodeDecodeError as error:
            raise ProtocolError("a text is not valid UTF-8") from error

    def _string(self, wanted: int) -> bytes:
        major, size = self.head()
        if major != wanted:
            raise ProtocolError("a byte string is missing" if wanted == 2 else "a text is missing")
        start = self.at
        if size > self.end - start:
            raise ProtocolError("the bytes end inside a string")
        self.at = start + size
        return self.data[start : start + size]

    def boolean(self) -> bool:
        """False or true."""
        if self.at < self.end and self.data[self.at] in (0xF4, 0xF5):
            self.at += 1
            return self.data[self.at - 1] == 0xF5
        raise ProtocolError("a Bool is missing")

    def floating(self) -> float:
        """A float in the shortest form."""
        if self.at >= self.end or self.data[self.at] not in (0xF9, 0xFA, 0xFB):
            raise ProtocolError("a float is missing")
        form, bits, fraction = _FLOATS[self.data[self.at] & 31]
        start = self.at
        self.at = start + 1 + bits // 8
        if self.at > self.end:
            raise ProtocolError("the bytes end inside a float")
        data = self.data[start + 1 : self.at]
        value: float = form.unpack(data)[0]
        if value != value:
            raw = int.from_bytes(data, "big")
            payload = (raw & ((1 << fraction) - 1)) << (52 - fraction)
            value = NaN(raw >> (bits - 1) << 63 | 0x7FF << 52 | payload)
        if bits > 16:
            again = bytearray()
            write_float(again, value)
            if len(again) != self.at - start:
                raise ProtocolError("a float that is not in the shortest form")
        return value

    def item(self, depth: int = MAXIMUM_DEPTH) -> Item:
        """An item of unknown type, nested at most `depth` deep."""
        if depth == 0:
            raise ProtocolError("the items are nested too deep")
        major = self.peek()
        if major in (0, 1, 6):
            return self.integer()
        if major == 2:
            return self.byte_string()
        if major == 3:
            return self.text()
        if major == 4:
            return tuple([self.item(depth - 1) for _ in range(self.array())])
        if major == 5:
            pairs: list[tuple[Item, Item]] = []
            last: bytes | None = None
            for _ in range(self.map()):
                start = self.at
                key = self.item(depth - 1)
                last = self.ascending(start, last)
                pairs.append((key, self.item(depth - 1)))
            return Map(pairs)
        initial = self.data[self.at]
        if initial in (0xF4, 0xF5):
            return self.boolean()
        if initial == 0xF6:
            self.at += 1
            return None
        return self.floating()

    def skip(self, depth: int = MAXIMUM_DEPTH) -> None:
        """Passes over an item of unknown type, and checks its form. Its simple values are arbitrary (PROTOCOL.md, 5)."""
        if depth == 0:
            raise ProtocolError("the items are nested too deep")
        major = self.peek()
        if major == 7:
            info = self.data[self.at] & 31
            if info in (25, 26, 27):
                self.floating()
                return
            self.at += 1
            if info == 24:
                if self.at >= self.end or self.data[self.at] < 32:
                    raise ProtocolError("a simple value that is not in the shortest form")
                self.at += 1
            elif info > 24:
                raise ProtocolError("an indefinite or reserved length")
        elif major == 6:
            self.head()
            self.skip(depth - 1)
        elif major == 5:
            last: bytes | None = None
            for _ in range(self.map()):
                start = self.at
                self.skip(depth - 1)
                last = self.ascending(start, last)
                self.skip(depth - 1)
        elif major == 4:
            for _ in range(self.array()):
                self.skip(depth - 1)
        else:
            self.item(1)

    def ascending(self, start: int, last: bytes | None) -> bytes:
        """The bytes from `start` to here, which must come after `last` in the order of keys."""
        key = self.data[start : self.at]
        if last is not None and key <= last:
            raise ProtocolError("keys or members that are not in ascending order")
        return key

    def finish(self) -> None:
        """Checks that nothing follows."""
        if self.at != self.end:
            raise ProtocolError("bytes follow the item")


def decoded(data: bytes) -> Item:
    """The one item in `data`."""
    reader = Reader(data)
    value = reader.item()
    reader.finish()
    return value
