"""Structs and enums, with generated classes or as plain values."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# A value may be of any type until it is checked, and pyright then knows nothing about the types inside it.

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _cbor
from .._cbor import Reader
from ..errors import InvalidValue, ProtocolError, SchemaMismatch, UnknownPart
from .base import CannotApply, Type
from .wrapped import OptionalType


class Field:
    """A field of a struct, or a value of a case. `attribute` is its name in Python, None if a class does not have it."""

    __slots__ = ("attribute", "has_default", "key", "name", "type")

    def __init__(self, key: int, name: str, attribute: str | None, kind: Type, has_default: bool) -> None:
        self.key, self.name, self.attribute, self.type, self.has_default = key, name, attribute, kind, has_default


class StructType(Type):
    """A struct: a dictionary with the names of its fields, or an object of a generated class."""

    def __init__(self, name: str, id_path: Sequence[int], make: Callable[..., Any] | None) -> None:
        self.name, self.id_path, self.make = name, id_path, make
        self.fields: dict[int, Field] = {}
        self.by_name: dict[str, Field] = {}

    def complete(self, fields: Sequence[Field]) -> None:
        self.fields = {field.key: field for field in fields}
        self.by_name = {field.name: field for field in fields}

    def parts(self) -> Sequence[Type]:
        return [field.type for field in self.fields.values()]

    @property
    def hashes(self) -> bool:
        return self.make is not None

    @property
    def keeps(self) -> bool:
        return all(field.attribute is not None for field in self.fields.values())

    def identity(self, element: Any) -> Any:
        kind: Type = self
        for key in self.id_path:
            if not isinstance(kind, StructType) or key not in kind.fields:
                raise CannotApply(f"the place of the id of {self.name} is not in the schema")
            element = kind.get(element, kind.fields[key])
            kind = kind.fields[key].type
        return element

    def get(self, value: Any, field: Field) -> Any:
        if self.make is None:
            return value[field.name]
        return getattr(value, field.attribute or "")

    def read(self, reader: Reader) -> Any:
        fields = self.fields
        values: dict[str, Any] = {}
        last = -1
        for _ in range(reader.map()):
            key = reader.unsigned()
            if key <= last:
                raise ProtocolError("keys that are not in ascending order")
            last = key
            field = fields.get(key)
            if field is None:
                reader.skip()
            elif field.attribute is None:
                field.type.read(reader)
            else:
                values[field.attribute] = field.type.read(reader)
        if len(values) < len(fields):
            self.fill(values)
        return values if self.make is None else self.instance(values)

    def fill(self, values: dict[str, Any]) -> None:
        """Absent optionals are null. Other defaults are not known: such a field stays absent."""
        for field in self.fields.values():
            if field.attribute is None or field.attribute in values:
                continue
            if isinstance(field.type, OptionalType):
                values[field.attribute] = None
            elif not field.has_default:
                raise ProtocolError(f"the field '{field.name}' of {self.name} is missing")

    def instance(self, values: dict[str, Any]) -> Any:
        assert self.make is not None
        try:
            return self.make(**values)
        except TypeError as error:
            raise SchemaMismatch(f"{self.name}: {error}; generate the types again from this hub") from error

    def pairs(self, value: Any) -> list[tuple[Field, Any]]:
        """The fields that are written, with their values."""
        if self.make is not None:
            if type(value) is not self.make:
                raise self.wrong(value)
            return [(field, getattr(value, field.attribute)) for field in self.fields.values() if field.attribute]
        if not isinstance(value, Mapping):
            raise self.wrong(value)
        unknown = value.keys() - self.by_name.keys()
        if unknown:
            raise InvalidValue(f"{self.name} has no field {sorted(map(str, unknown))[0]!r}")
        pairs = []
        for field in self.fields.values():
            if field.name in value:
                pairs.append((field, value[field.name]))
            elif isinstance(field.type, OptionalType):
                pairs.append((field, None))
            elif not field.has_default:
                raise InvalidValue(f"the field '{field.name}' of {self.name} is missing")
        return pairs

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        pairs = self.pairs(value)
        _cbor.write_head(out, 5, len(pairs))
        for field, item in pairs:
            _cbor.write_head(out, 0, field.key)
            try:
                field.type.write(out, item, depth)
            except InvalidValue as error:
                raise within(field.name, error) from None

    def summarise(self, out: bytearray, value: Any) -> None:
        pairs = self.pairs(value)
        _cbor.write_head(out, 5, len(pairs))
        for field, item in pairs:
            _cbor.write_head(out, 0, field.key)
            field.type.summarise(out, item)

    def merge(self, value: Any, reader: Reader) -> Any:
        changed: dict[str, Any] = {}
        last = -1
        for _ in range(reader.map()):
            key = reader.unsigned()
            if key <= last:
                raise ProtocolError("keys that are not in ascending order")
            last = key
            field = self.fields.get(key)
            if field is None or field.attribute is None:
                reader.skip()
                continue
            if self.make is None and field.name not in value:
                raise ProtocolError(f"a change of the field '{field.name}', which is absent")
            changed[field.attribute] = field.type.change(self.get(value, field), reader)
        if not changed:
            return value
        if self.make is None:
            return {**value, **changed}
        kept = {
            field.attribute: getattr(value, field.attribute)
            for field in self.fields.values()
            if field.attribute is not None and field.attribute not in changed
        }
        return self.make(**kept, **changed)

    def step(self, step: Any) -> tuple[list[Any], Type]:
        field = self.by_name.get(step) if isinstance(step, str) else None
        if field is None:
            raise UnknownPart(f"{self.name} has no field {step!r}")
        return [field.key], field.type


def within(name: str, error: InvalidValue) -> InvalidValue:
    """The error, with the place of the value before it."""
    text = str(error)
    place, colon, rest = text.partition(": ")
    if colon and place.startswith("in "):
        return InvalidValue(f"in {name}.{place[3:]}: {rest}")
    return InvalidValue(f"in {name}: {text}")


class Case:
    """A case of an enum. `make` is a generated class, a member of an `enum.Enum`, or None without generated types."""

    __slots__ = ("key", "make", "name", "values")

    def __init__(self, key: int, name: str, values: Sequence[Field], make: Any) -> None:
        self.key, self.name, self.values, self.make = key, name, values, make


class EnumType(Type):
    """An enum. Without generated types: the name of a case, or `{name: values}`."""

    def __init__(self, name: str, is_typed: bool) -> None:
        self.name, self.is_typed = name, is_typed
        self.cases: dict[int, Case] = {}
        self.by_name: dict[str, Case] = {}
        self.by_make: dict[Any, Case] = {}

    def complete(self, cases: Sequence[Case], recursive: bool) -> None:
        self.cases = {case.key: case for case in cases}
        self.by_name = {case.name: case for case in cases}
        self.by_make = {case.make: case for case in cases if case.make is not None}
        self.counts_for_nesting = recursive

    def parts(self) -> Sequence[Type]:
        return [value.type for case in self.cases.values() for value in case.values]

    @property
    def hashes(self) -> bool:
        return self.is_typed or not any(case.values for case in self.cases.values())

    def case(self, key: int) -> Case:
        case = self.cases.get(key)
        if case is None:
            raise ProtocolError(f"{self.name} has no case {key}")
        if self.is_typed and case.make is None:
            raise SchemaMismatch(f"the generated {self.name} has no case '{case.name}': generate the types again")
        return case

    def read(self, reader: Reader) -> Any:
        if reader.peek() != 4:
            case = self.case(reader.unsigned())
            if case.values:
                raise ProtocolError(f"the case '{case.name}' of {self.name} has values")
            return self.build(case, [])
        count = reader.array()
        case = self.case(reader.unsigned() if count else -1)
        if count - 1 != len(case.values) or not case.values:
            raise ProtocolError(f"the case '{case.name}' of {self.name} has {len(case.values)} values")
        return self.build(case, [value.type.read(reader) for value in case.values])

    def build(self, case: Case, values: list[Any]) -> Any:
        if self.is_typed:
            return case.make if isinstance(case.make, enum.Enum) else case.make(*values)
        if not values:
            return case.name
        if len(values) == 1:
            return {case.name: values[0]}
        if all(value.name for value in case.values):
            return {case.name: {value.name: item for value, item in zip(case.values, values)}}
        return {case.name: tuple(values)}

    def split(self, value: Any) -> tuple[Case, Sequence[Any]]:
        """The case of a value, and the values in it."""
        if self.is_typed:
            case = self.by_make.get(value if isinstance(value, enum.Enum) else type(value))
            if case is None:
                raise self.wrong(value)
            return case, [getattr(value, item.attribute or "") for item in case.values]
        if isinstance(value, str):
            name, payload = value, None
        elif isinstance(value, Mapping) and len(value) == 1:
            ((name, payload),) = value.items()
        else:
            raise self.wrong(value)
        case = self.by_name.get(name)
        if case is None:
            raise InvalidValue(f"{self.name} has no case {name!r}")
        if isinstance(value, str) == bool(case.values):
            raise InvalidValue(f"the case '{name}' of {self.name} has {'no value' if not case.values else 'values'}")
        return case, self.unlabelled(case, payload)

    def unlabelled(self, case: Case, payload: Any) -> Sequence[Any]:
        count = len(case.values)
        if count < 2:
            return [payload] if count else []
        if isinstance(payload, Mapping):
            names = [value.name for value in case.values]
            if not all(names):
                # As they are read: some have no label by which a mapping could name them.
                labels = ", ".join(name or f"_{index}" for index, name in enumerate(names))
                raise InvalidValue(f"the case '{case.name}' of {self.name} has the values {labels} in order: give a tuple")
            if set(payload) != set(names):
                raise InvalidValue(f"the case '{case.name}' of {self.name} has the values {', '.join(names)}")
            return [payload[name] for name in names]
        if not _cbor.is_array(payload) or len(payload) != count:
            raise InvalidValue(f"the case '{case.name}' of {self.name} has {count} values")
        values: Sequence[Any] = payload
        return values

    def write(self, out: bytearray, value: Any, depth: int = 0) -> None:
        case, values = self.split(value)
        if not values:
            _cbor.write_head(out, 0, case.key)
            return
        depth = self.nested(depth)
        _cbor.write_head(out, 4, len(values) + 1)
        _cbor.write_head(out, 0, case.key)
        for item, field in zip(values, case.values):
            try:
                field.type.write(out, item, depth)
            except InvalidValue as error:
                raise within(case.name, error) from None

    def summarise(self, out: bytearray, value: Any) -> None:
        case, values = self.split(value)
        if not values:
            _cbor.write_head(out, 0, case.key)
            return
        _cbor.write_head(out, 4, len(values) + 1)
        _cbor.write_head(out, 0, case.key)
        for item, field in zip(values, case.values):
            field.type.summarise(out, item)

    def merge(self, value: Any, reader: Reader) -> Any:
        case, given = self.split(value)
        if reader.map() != 1 or reader.unsigned() != case.key or not given:
            raise ProtocolError("a change inside another case of an enum")
        values = list(given)
        if len(values) == 1:
            values[0] = case.values[0].type.change(values[0], reader)
        else:
            for _ in range(reader.map()):
                index = reader.unsigned()
                if index >= len(values):
                    raise ProtocolError("a change of a value that the case does not have")
                values[index] = case.values[index].type.change(values[index], reader)
        return self.build(case, values)

    def step(self, step: Any) -> tuple[list[Any], Type]:
        case = self.by_name.get(step) if isinstance(step, str) else None
        if case is None:
            raise UnknownPart(f"{self.name} has no case {step!r}")
        if len(case.values) == 1:
            return [case.key], case.values[0].type
        return [case.key], CaseValuesType(self.name, case)


class CaseValuesType(Type):
    """A place on a path: the values of a case, of which the next step chooses one."""

    def __init__(self, name: str, case: Case) -> None:
        self.name, self.case = f"{name}.{case.name}", case

    def step(self, step: Any) -> tuple[list[Any], Type]:
        for index, value in enumerate(self.case.values):
            if step in (value.name or f"_{index}", f"_{index}"):
                return [index], value.type
        raise UnknownPart(f"{self.name} has no value {step!r}")
