"""Values as JSON, with the names of the schema."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false
# JSON may have any form until it is checked.

from __future__ import annotations

import decimal
import uuid
from collections.abc import Mapping
from typing import Any

from . import _types
from ._cbor import Map, is_array, is_pair
from .values import Date, Duration, Failure, IdentifiedArray, Range, RelativeURL, Some, StackElement, Success, TextState


def to_json(value: Any) -> Any:
    """A plain value as what `json.dumps` takes: data in hexadecimal, dictionaries with other keys than text as pairs."""
    if isinstance(value, (bytes, uuid.UUID)):
        return value.hex() if isinstance(value, bytes) else value.bytes.hex()
    if isinstance(value, decimal.Decimal):
        return _types.DecimalType.text(value)
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {key: to_json(item) for key, item in value.items()}
        return [[to_json(key), to_json(item)] for key, item in value.items()]
    if isinstance(value, (Some, Success)):
        return {"success" if isinstance(value, Success) else "some": to_json(value.value)}
    if isinstance(value, Failure):
        return {"failure": to_json(value.error)}
    if isinstance(value, StackElement):
        return [value.id, to_json(value.element)]
    if isinstance(value, (Range, Duration, RelativeURL)):
        return [to_json(getattr(value, name)) for name in value.__slots__]
    if isinstance(value, TextState):
        return str(value)
    if isinstance(value, Map):
        return [[to_json(key), to_json(item)] for key, item in value.pairs]
    if isinstance(value, Date):
        return float(value)
    if isinstance(value, (tuple, list, frozenset, IdentifiedArray)):
        return [to_json(item) for item in value]
    if hasattr(value, "__slots__") and not isinstance(value, (int, float, str)):
        return [to_json(getattr(value, name)) for name in value.__slots__]
    return value


def from_json(kind: _types.Type, given: Any) -> Any:
    """JSON as a plain value of a type, for what JSON does not have: data, dates, stacks."""
    if isinstance(kind, _types.OptionalType):
        if given is None:
            return None
        return Some(from_json(kind.inner, given["some"])) if kind.wraps else from_json(kind.inner, given)
    if isinstance(kind, _types.StructType) and isinstance(given, Mapping):
        return {name: from_json(kind.by_name[name].type, item) if name in kind.by_name else item
                for name, item in given.items()}  # fmt: skip
    if isinstance(kind, _types.EnumType) and isinstance(given, Mapping) and len(given) == 1:
        ((name, payload),) = given.items()
        case = kind.by_name.get(name)
        if case is None:
            return given
        items = kind.unlabelled(case, payload)
        values = [from_json(field.type, item) for field, item in zip(case.values, items)]
        return {name: values[0] if len(values) == 1 else tuple(values)}
    if not is_array(given) and not (isinstance(given, Mapping) and isinstance(kind, _types.DictionaryType)) and isinstance(
        kind, (_types.ArrayType, _types.IdentifiedType, _types.SetType, _types.DictionaryType)
    ):
        # It is refused as it is.
        return given
    if isinstance(kind, _types.StackType):
        if not all(map(is_pair, given)):
            return given
        return tuple(StackElement(identity, from_json(kind.element, item)) for identity, item in given)
    if isinstance(kind, (_types.ArrayType, _types.IdentifiedType)):
        return tuple(from_json(kind.element, item) for item in given)
    if isinstance(kind, _types.SetType):
        return tuple(from_json(kind.member, item) for item in given)
    if isinstance(kind, _types.DictionaryType):
        pairs = given.items() if isinstance(given, Mapping) else given
        if not all(map(is_pair, pairs)):
            return given
        return tuple((from_json(kind.key, key), from_json(kind.value, item)) for key, item in pairs)
    if isinstance(kind, _types.DataType):
        return bytes.fromhex(given)
    if isinstance(kind, _types.UUIDType):
        return uuid.UUID(given)
    if isinstance(kind, _types.DecimalType):
        return decimal.Decimal(given)
    if isinstance(kind, _types.DurationType):
        return Duration(*given)
    if isinstance(kind, _types.RangeType):
        return Range(*(from_json(kind.bound, bound) for bound in given))
    if isinstance(kind, _types.ResultType):
        case_, inner = kind.split(given)
        return kind.make(case_, from_json(kind.cases[case_], inner))
    return given
