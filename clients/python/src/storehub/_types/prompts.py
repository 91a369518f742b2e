"""The types of the architecture that describe alerts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _cbor
from .._cbor import Reader
from ..errors import ProtocolError
from ..values import AlertState, ButtonState, ConfirmationDialogState
from .base import Type
from .collections import ArrayType
from .scalars import TextStateType
from .wrapped import OptionalType


class RecordType(Type):
    """An array with a fixed number of parts, which is always replaced as a whole."""

    def __init__(self, name: str, make: Callable[..., Any], fields: Sequence[tuple[str, Type]]) -> None:
        self.name, self.make, self.fields = name, make, fields

    def parts(self) -> Sequence[Type]:
        return [kind for _, kind in self.fields]

    def read(self, reader: Reader) -> Any:
        if reader.array() != len(self.fields):
            raise ProtocolError(f"a value of type {self.name} has {len(self.fields)} items")
        return self.make(*[kind.read(reader) for _, kind in self.fields])

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if type(value) is not self.make:
            raise self.wrong(value)
        _cbor.write_head(out, 4, len(self.fields))
        for name, kind in self.fields:
            kind.write(out, getattr(value, name), depth)


class NumberedType(Type):
    """A choice by number that has names in Python."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        self.name, self.names = name, names

    def read(self, reader: Reader) -> str:
        number = reader.unsigned()
        if number >= len(self.names):
            raise ProtocolError(f"{self.name} has no number {number}")
        return self.names[number]

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if value not in self.names:
            raise self.wrong(value)
        _cbor.write_head(out, 0, self.names.index(value))


class NullableType(Type):
    """Null or the value itself, without an array around it."""

    def __init__(self, inner: Type) -> None:
        self.inner, self.name = inner, inner.name

    def parts(self) -> Sequence[Type]:
        return (self.inner,)

    def read(self, reader: Reader) -> Any:
        return None if reader.null() else self.inner.read(reader)

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        if value is None:
            out.append(0xF6)
        else:
            self.inner.write(out, value, depth)


def prompt_type(name: str, action: Type) -> Type:
    """The type of an alert, a confirmation dialog or a button with actions of this type."""
    text = TextStateType()
    role = NullableType(NumberedType("the role of a button", ("cancel", "destructive")))
    button = RecordType("ButtonState", ButtonState, [("role", role), ("action", OptionalType(action)), ("label", text)])
    if name == "ButtonState":
        return button
    fields = [("title", text), ("message", OptionalType(text)), ("buttons", ArrayType(button))]
    if name == "AlertState":
        return RecordType(name, AlertState, fields)
    visibility = NumberedType("the visibility of a title", ("automatic", "hidden", "visible"))
    return RecordType(name, ConfirmationDialogState, [("visibility", visibility), *fields])
