"""The schema of a hub, and the generated types that are bound to it (PROTOCOL.md, 11)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, Union

from . import _cbor, _types
from ._cbor import Item
from ._types import Case, EnumType, Field, StructType, Type
from .errors import ProtocolError, SchemaMismatch

__all__ = ["CaseBinding", "EnumBinding", "Model", "Schema", "StructBinding"]

Form = Union[int, str, "tuple[Any, ...]"]
"""A type in a schema: the index of a definition, a name, or a name with parts."""

MAXIMUM_BYTES = 16 << 20
FORMER_NAMES = 64
"""How many former names a field or a case has at most."""


@dataclass(frozen=True)
class FieldDefinition:
    """A field of a struct: its key on the wire, its name in the source, its type, and whether it may be absent."""

    key: int
    name: str
    form: Form
    has_default: bool
    former_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseDefinition:
    """A case of an enum; `values` are pairs of a label, empty if there is none, and a type."""

    key: int
    name: str
    values: tuple[tuple[str, Form], ...]
    former_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class StructDefinition:
    """A struct. `id_path` leads to its id as an element of an identified array, by keys; empty if there is none."""

    name: str
    id_path: tuple[int, ...]
    fields: tuple[FieldDefinition, ...]


@dataclass(frozen=True)
class EnumDefinition:
    """An enum."""

    name: str
    cases: tuple[CaseDefinition, ...]


Definition = Union[StructDefinition, EnumDefinition]


Member = TypeVar("Member", bound=Union[FieldDefinition, CaseDefinition])


class Schema:
    """The types of a state and its actions, as a hub describes them.

    `fingerprint` is the SHA-256 of its bytes without former names. `documentation` has the comments of the types, if they were
    requested.
    """

    def __init__(self, data: bytes) -> None:
        """Reads the bytes of a schema; raises `ProtocolError`."""
        if len(data) > MAXIMUM_BYTES:
            raise ProtocolError("the schema is too large")
        self.data = data
        try:
            item = _cbor.decoded(data)
            self._read(item)
        except (IndexError, TypeError, ValueError) as error:
            raise ProtocolError("the bytes are not a schema") from error
        has_former_names = any(one.former_names for definition in self.definitions for one in members_of(definition))
        self.fingerprint = hashlib.sha256(_cbor.encoded(_without_former_names(item)) if has_former_names else data).digest()

    @classmethod
    def of_actions(cls, action: Form, definitions: tuple[Definition, ...]) -> Schema:
        """A schema that was computed, and that has no bytes."""
        schema = cls.__new__(cls)
        schema.data, schema.fingerprint = b"", b""
        schema.state, schema.action, schema.definitions = "Never", action, definitions
        return schema

    def as_json(self) -> Any:
        """The schema as PROTOCOL.md, 11, writes it, for `json.dumps`."""
        return _lists(_cbor.decoded(self.data))

    def _read(self, item: Any) -> None:
        state, action, *definitions = _tuple(item)
        self.definitions: tuple[Definition, ...] = tuple(self._definition(_tuple(one)) for one in definitions)
        self.state, self.action = self._form(state), self._form(action)
        for definition in self.definitions:
            if isinstance(definition, StructDefinition):
                for one in definition.fields:
                    self._form(one.form)
            else:
                for case in definition.cases:
                    for _, form in case.values:
                        self._form(form)

    def _definition(self, item: tuple[Any, ...]) -> Definition:
        name, kind, *rest = item
        if kind == 0:
            path, *fields = rest
            return StructDefinition(
                _text(name), tuple(_number(key) for key in _tuple(path)), _checked([_field(_tuple(one)) for one in fields]))
        if kind != 1:
            raise ValueError(kind)
        return EnumDefinition(_text(name), _checked([_case(_tuple(one)) for one in rest]))

    def _form(self, form: Any, depth: int = 64) -> Form:
        """The form, after a check that its indices are those of definitions."""
        if isinstance(form, int) and not isinstance(form, bool):
            if not 0 <= form < len(self.definitions):
                raise ValueError(form)
            return form
        if isinstance(form, str):
            return form
        name, *parts = _tuple(form)
        if depth == 0 or not parts:
            raise ValueError(form)
        for part in parts[1:] if name == "raw" else () if name == "opaque" else parts:
            self._form(part, depth - 1)
        return (_text(name), *parts)


def members_of(definition: Definition) -> Sequence[Union[FieldDefinition, CaseDefinition]]:
    """The fields of a struct, or the cases of an enum."""
    return definition.fields if isinstance(definition, StructDefinition) else definition.cases


def _field(item: tuple[Any, ...]) -> FieldDefinition:
    key, name, form, default, *former = item
    if len(former) > 1:
        raise ValueError(item)
    return FieldDefinition(_number(key), _text(name), form, bool(default), _former_names(former))


def _case(item: tuple[Any, ...]) -> CaseDefinition:
    key, name, *values = item
    former = [values.pop()] if len(values) % 2 else []
    pairs = tuple((_text(label), form) for label, form in zip(values[::2], values[1::2]))
    return CaseDefinition(_number(key), _text(name), pairs, _former_names(former))


def _former_names(items: list[Any]) -> tuple[str, ...]:
    """The last item of a field or a case, if it has one more."""
    if not items:
        return ()
    names = tuple(_text(name) for name in _tuple(items[0]))
    if not 1 <= len(names) <= FORMER_NAMES:
        raise ValueError(names)
    return names


def _checked(members: list[Member]) -> tuple[Member, ...]:
    """Fields or cases, whose keys ascend, and whose names, present and former ones, occur once."""
    names = [name for one in members for name in (one.name, *one.former_names)]
    if len(set(names)) != len(names) or any(one.key >= other.key for one, other in zip(members, members[1:])):
        raise ValueError(names)
    return tuple(members)


def _without_former_names(item: Any) -> Item:
    """The item of a schema for a fingerprint."""
    state, action, *definitions = item
    return (state, action, *(
        (name, kind, rest[0], *(field[:4] for field in rest[1:])) if kind == 0
        else (name, kind, *(case[: len(case) // 2 * 2] for case in rest)) for name, kind, *rest in definitions))  # fmt: skip


def corresponding(
    name: str, theirs: Sequence[Member], mine: Sequence[Member]
) -> tuple[list[int | None], str | None]:
    """For each of their fields or cases the index of mine that corresponds (PROTOCOL.md, 11.2).

    Members of the same name correspond. Of the others, two do if the name of one is a former name of the other. One that fits
    two has no partner; the second result is a sentence about it, in which `name` is that of the type.
    """
    own = {one.name: index for index, one in enumerate(mine)}
    partners = [own.get(one.name) for one in theirs]
    if not any(one.former_names for one in (*theirs, *mine)):
        return partners, None
    others = {one.name: index for index, one in enumerate(theirs)}
    claims = {
        *((index, own[former]) for index, one in enumerate(theirs) for former in one.former_names if former in own),
        *((others[former], index) for index, one in enumerate(mine) for former in one.former_names if former in others),
    }  # fmt: skip
    ambiguity: str | None = None
    by_their: dict[int, list[int]] = {}
    by_mine: dict[int, list[int]] = {}
    for index, partner in sorted(claims):
        if partners[index] is None and mine[partner].name not in others:
            by_their.setdefault(index, []).append(partner)
            by_mine.setdefault(partner, []).append(index)
    for index, found in by_their.items():
        rivals = by_mine[found[0]]
        if len(found) == len(rivals) == 1:
            partners[index] = found[0]
            continue
        ambiguity = ambiguity or (
            f"{_names(mine, found)} of {name} may be {_names(theirs, rivals)} on the hub by former names: remove one of the former "
            "names from the feature")
    return partners, ambiguity


def _names(members: Sequence[Member], indices: Sequence[int]) -> str:
    return " or ".join(f"'{members[index].name}'" for index in indices)


def _lists(item: Item) -> Any:
    return [_lists(one) for one in item] if isinstance(item, tuple) else item


def _tuple(item: Any) -> tuple[Any, ...]:
    if not isinstance(item, tuple):
        raise TypeError(item)
    return item  # pyright: ignore[reportUnknownVariableType]


def _text(item: Any) -> str:
    if not isinstance(item, str):
        raise TypeError(item)
    return item


def _number(item: Any) -> int:
    if not isinstance(item, int) or isinstance(item, bool) or item < 0:
        raise TypeError(item)
    return item


# Generated types


@dataclass(frozen=True)
class StructBinding:
    """The class of a struct, and the names of its attributes by the names of the fields."""

    make: type
    attributes: Mapping[str, str]


@dataclass(frozen=True)
class CaseBinding:
    """The class of a case, with the names of its attributes in the order of the values; or a member of an `enum.Enum`."""

    make: Any
    attributes: Sequence[str] = ()


@dataclass(frozen=True)
class EnumBinding:
    """The cases of an enum by their names."""

    cases: Mapping[str, CaseBinding]


class Model:
    """The generated types of a feature: the schema for which they were generated, and what each definition became.

    Generated modules have one. Values and paths of the types know it, so that a client needs no further argument.
    """

    def __init__(self, schema: bytes) -> None:
        self.schema = Schema(schema)
        self.bindings: list[StructBinding | EnumBinding] = []

    def bind(self, bindings: Sequence[StructBinding | EnumBinding]) -> None:
        """Names what each definition of the schema became, in the order of the definitions."""
        if len(bindings) != len(self.schema.definitions):
            raise ValueError("a binding for each definition of the schema")
        self.bindings = list(bindings)
        for binding in bindings:
            made: list[Any] = [binding.make] if isinstance(binding, StructBinding) else [one.make for one in binding.cases.values()]
            for make in made:
                # An enum's member has the attribute through its class.
                owner: Any = make if isinstance(make, type) else make.__class__
                owner.__storehub_model__ = self


def model_of(value: Any) -> Model | None:
    """The model of a value of a generated type."""
    model = getattr(type(value), "__storehub_model__", None)  # pyright: ignore[reportUnknownArgumentType]
    return model if isinstance(model, Model) else None


# Types by schema


@dataclass
class Types:
    """The types of a hub's schema, bound to generated ones or to plain Python values."""

    schema: Schema
    model: Model | None = None
    state: Type = field(init=False)
    action: Type = field(init=False)

    def __post_init__(self) -> None:
        self._definitions: dict[tuple[int, int | None], StructType | EnumType] = {}
        own = self.model.schema if self.model else None
        if own and not self._belongs(own):
            raise SchemaMismatch("the generated types are those of another feature than the hub's")
        self._recursive = recursive_definitions(self.schema)
        self.state = self.type(self.schema.state, own.state if own else None)
        self.action = self.type(self.schema.action, own.action if own else None)

    def _belongs(self, own: Schema) -> bool:
        """False if both states are structs with fields, but without a common name."""
        if not isinstance(own.state, int) or not isinstance(self.schema.state, int):
            return True
        mine, other = own.definitions[own.state], self.schema.definitions[self.schema.state]
        if not isinstance(mine, StructDefinition) or not isinstance(other, StructDefinition):
            return True
        partners, ambiguity = corresponding(mine.name, other.fields, mine.fields)
        return not mine.fields or not other.fields or ambiguity is not None or any(one is not None for one in partners)

    def type(self, form: Form, own: Form | None) -> Type:
        """The type for a form of the hub's schema, and for that of the model at the same place, if there is one."""
        if isinstance(form, int):
            if own is not None and not isinstance(own, int):
                raise self._differ(form, own)
            return self._definition(form, own)
        if isinstance(own, int):
            raise self._differ(form, own)
        name: str = form if isinstance(form, str) else form[0]
        parts: tuple[Any, ...] = () if isinstance(form, str) else form[1:]
        no_parts: tuple[Any, ...] = ()
        if own is None:
            others: tuple[Any, ...] = (None,) * len(parts)
        else:
            other, others = (own, no_parts) if isinstance(own, str) else (own[0], own[1:])
            if other != name or len(others) != len(parts):
                raise self._differ(form, own)
        if name == "raw" and len(parts) == 2:
            return self.type(parts[1], others[1])
        if name in ("opaque", "Change"):
            return _types.OpaqueType(_text(parts[0]) if name == "opaque" else "Change")
        return _named(name, [self.type(part, mine) for part, mine in zip(parts, others)])

    def _differ(self, form: Form, own: Form) -> SchemaMismatch:
        assert self.model
        return SchemaMismatch(
            f"the hub has {text_of(self.schema, form)} where the generated types have "
            f"{text_of(self.model.schema, own)}: generate them again"
        )

    def _definition(self, index: int, own: int | None) -> Type:
        done = self._definitions.get((index, own))
        if done is not None:
            return done
        definition, recursive = self.schema.definitions[index], index in self._recursive
        mine = self.model.schema.definitions[own] if self.model and own is not None else None
        binding = self.model.bindings[own] if self.model and own is not None else None
        if mine is not None and type(mine) is not type(definition):
            raise SchemaMismatch(f"{definition.name} is of another kind in the generated types: generate them again")
        if isinstance(definition, StructDefinition):
            assert binding is None or isinstance(binding, StructBinding)
            kind = StructType(definition.name, definition.id_path, binding.make if binding else None)
            self._definitions[index, own] = kind
            theirs = {one.name: one for one in mine.fields} if isinstance(mine, StructDefinition) else {}
            fields: list[Field] = []
            for one, other in self._pairs(definition.name, definition.fields, mine.fields if isinstance(mine, StructDefinition) else ()):
                # Generated code has its own names, also in paths.
                name = theirs.pop(other.name).name if other else one.name
                attribute = name if binding is None else binding.attributes[name] if other else None
                fields.append(Field(one.key, name, attribute, self.type(one.form, other.form if other else None), one.has_default))
            missing = [one.name for one in theirs.values() if not one.has_default]
            if missing:
                raise SchemaMismatch(f"the hub's {definition.name} has no field '{missing[0]}': generate the types again")
            kind.complete(fields)
            return kind
        assert binding is None or isinstance(binding, EnumBinding)
        union = EnumType(definition.name, binding is not None)
        self._definitions[index, own] = union
        pairs = self._pairs(definition.name, definition.cases, mine.cases if isinstance(mine, EnumDefinition) else ())
        union.complete([self._case(one, other, binding) for one, other in pairs], recursive)
        return union

    def _pairs(self, name: str, members: Sequence[Member], own: Sequence[Member]) -> list[tuple[Member, Member | None]]:
        """The hub's fields or cases, with those of the generated types."""
        partners, ambiguity = corresponding(name, members, own)
        if ambiguity is not None:
            raise SchemaMismatch(ambiguity)
        return [(one, None if partner is None else own[partner]) for one, partner in zip(members, partners)]

    def _case(self, case: CaseDefinition, own: CaseDefinition | None, binding: EnumBinding | None) -> Case:
        made = binding.cases[own.name] if binding and own else None
        if own and [label for label, _ in own.values] != [label for label, _ in case.values]:
            raise SchemaMismatch(f"the case '{case.name}' has other values on the hub: generate the types again")
        values: list[Field] = []
        for place, (label, form) in enumerate(case.values):
            attribute = made.attributes[place] if made else label
            values.append(Field(place, label, attribute, self.type(form, own.values[place][1] if own else None), False))
        return Case(case.key, own.name if own else case.name, values, made.make if made else None)


_COUNTED = {"Array", "Set", "Dictionary", "IdentifiedArray", "StackState", "PresentationState", "opaque"}


def recursive_definitions(schema: Schema) -> set[int]:
    """The definitions that contain themselves without a collection between: indirect enums, which count for nesting."""
    inside: dict[int, set[int]] = {}

    def collect(form: Form, into: set[int]) -> None:
        if isinstance(form, int):
            into.add(form)
        elif isinstance(form, tuple) and form[0] not in _COUNTED:
            for part in form[2:] if form[0] == "raw" else form[1:]:
                collect(part, into)

    for index, definition in enumerate(schema.definitions):
        inside[index] = set()
        if isinstance(definition, StructDefinition):
            for one in definition.fields:
                collect(one.form, inside[index])
        else:
            for case in definition.cases:
                for _, form in case.values:
                    collect(form, inside[index])
    return _on_cycles(inside)


def _on_cycles(edges: Mapping[int, set[int]]) -> set[int]:
    """The nodes of a graph that lead back to themselves, in time linear in its size: a hostile schema has many definitions."""
    back: dict[int, list[int]] = {node: [] for node in edges}
    for node, targets in edges.items():
        for target in targets:
            back[target].append(node)
    left: list[int] = []
    seen: set[int] = set()
    for node in edges:
        left += _finished(node, edges, seen)
    # By the algorithm of Kosaraju, what is reached backwards from the last that was left is one component.
    result: set[int] = set()
    seen = set()
    for node in reversed(left):
        component = _finished(node, back, seen)
        if len(component) > 1 or node in edges[node]:
            result.update(component)
    return result


def _finished(start: int, edges: Mapping[int, Iterable[int]], seen: set[int]) -> list[int]:
    """The nodes that are reached from one and were not seen before, in the order in which a search leaves them."""
    if start in seen:
        return []
    seen.add(start)
    left: list[int] = []
    stack = [(start, iter(edges[start]))]
    while stack:
        node, targets = stack[-1]
        target = next(targets, None)
        if target is None:
            left.append(node)
            stack.pop()
        elif target not in seen:
            seen.add(target)
            stack.append((target, iter(edges[target])))
    return left


def text_of(schema: Schema, form: Form) -> str:
    """A type as people write it."""
    if isinstance(form, int):
        return schema.definitions[form].name
    if isinstance(form, str):
        return form
    parts = form[1:] if form[0] not in ("raw", "opaque") else form[1:2]
    return f"{form[0]}<{', '.join(text_of(schema, part) for part in parts)}>"


def _integers() -> dict[str, tuple[int, int]]:
    result: dict[str, tuple[int, int]] = {}
    for bits in (8, 16, 32, 64, 128):
        result[f"Int{bits}"] = (-(1 << bits - 1), (1 << bits - 1) - 1)
        result[f"UInt{bits}"] = (0, (1 << bits) - 1)
    result["Int"], result["UInt"] = result["Int64"], result["UInt64"]
    result["StackElementID"] = result["Int64"]
    return result


_INTEGERS = _integers()


def _named(name: str, parts: list[Type]) -> Type:
    """A named type (PROTOCOL.md, 9); one that is not in the table there is opaque."""
    try:
        return _known(name, *parts)
    except TypeError as error:
        raise ProtocolError(f"the type {name} with {len(parts)} parts") from error


def _known(name: str, *parts: Type) -> Type:
    if name in _INTEGERS:
        return _types.IntegerType(name, *_INTEGERS[name], *parts)
    if name in ("String", "Substring", "Character"):
        return _types.TextType(name, *parts)
    if name in ("Optional", "PresentationState"):
        (inner,) = _exactly(1, parts)
        return _types.OptionalType(inner, name)
    if name in ("Range", "ClosedRange"):
        return _types.RangeType(name, *parts)
    if name in ("AlertState", "ConfirmationDialogState", "ButtonState"):
        return _types.prompt_type(name, *parts)
    if name == "Float":
        return _types.FloatType(name, (3, 5))
    if name == "Double":
        return _types.FloatType(name, (3, 5, 9))
    # The values of a view by those of its parameter: only a path leads into it.
    if name in ("IdentifiedArray", "View"):
        identity, element = _exactly(2, parts)
        return _types.IdentifiedType(f"{name}<{identity.name}, {element.name}>", identity, element)
    plain = _PLAIN.get(name)
    return _types.OpaqueType(name) if plain is None else plain(*parts)


def _exactly(count: int, parts: tuple[Type, ...]) -> tuple[Type, ...]:
    if len(parts) != count:
        raise TypeError(parts)
    return parts


_PLAIN: dict[str, Any] = {
    "Bool": _types.BoolType, "Unicode.Scalar": _types.ScalarType, "Data": _types.DataType, "UUID": _types.UUIDType,
    "Date": _types.DateType, "Decimal": _types.DecimalType, "URL": _types.URLType, "Duration": _types.DurationType,
    "Never": _types.NeverType, "TextState": _types.TextStateType, "Array": _types.ArrayType, "Set": _types.SetType,
    "Dictionary": _types.DictionaryType, "StackState": _types.StackType, "Result": _types.ResultType,
}  # fmt: skip
