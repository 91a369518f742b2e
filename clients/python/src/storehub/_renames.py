"""Fields and cases that have other names in another version of a feature (PROTOCOL.md, 11.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ._cbor import Reader
from .errors import InvalidValue, ProtocolError
from .schema import (
    CaseDefinition,
    Definition,
    EnumDefinition,
    Form,
    Member,
    Schema,
    StructDefinition,
    Types,
    corresponding,
    members_of,
)

__all__ = ["Rewriting", "named_by"]

MEMBERS = 1 << 16
"""How many fields and cases are compared. A hostile pair of schemas has more pairs of types than types."""


@dataclass(frozen=True)
class Named:
    """A schema for actions alone, and a sentence about a name in it that may be one of several."""

    schema: Schema
    ambiguity: str | None


def named_by(theirs: Schema, mine: Schema) -> Named:
    """The types of their actions, with my names of the fields and cases that correspond: for values that were made by my names.

    What has no partner keeps its name. That is never one of mine, because members of the same name correspond.
    """
    return _Pairs(theirs, mine).named()


class Rewriting:
    """Writes actions again that were written for one schema, for another one."""

    def __init__(self, old: Schema, new: Schema) -> None:
        named = named_by(new, old)
        self._read, self._check, self._ambiguity = Types(old).action, Types(new).action, named.ambiguity
        try:
            self._write = Types(named.schema).action
        except RecursionError:
            # A hostile pair of schemas: those that fit without former names are sent.
            self._write = self._check

    def rewritten(self, data: bytes) -> tuple[Any, bytes]:
        """The action by the names of the new schema, and its bytes; raises `InvalidValue` if that does not have it."""
        if not data:
            raise InvalidValue("an earlier program could not convert the action to its own version of the feature")
        try:
            written = self._write.encoded(_whole(self._read.read, data))
            return _whole(self._check.read, written), written
        except InvalidValue as error:
            raise InvalidValue(f"{error}; {self._ambiguity}" if self._ambiguity else str(error)) from None
        except (ProtocolError, RecursionError) as error:
            raise InvalidValue(f"the action is none of the hub's version of the feature: {error}") from error


def _whole(read: Callable[[Reader], Any], data: bytes) -> Any:
    reader = Reader(data)
    value = read(reader)
    reader.finish()
    return value


class _Pairs:
    """The definitions of a new schema: one for each pair of types that correspond."""

    def __init__(self, theirs: Schema, mine: Schema) -> None:
        self._theirs, self._mine = theirs, mine
        self._indices: dict[tuple[int, int | None], int] = {}
        self._pairs: list[tuple[int, int | None]] = []
        self._left = MEMBERS
        self._ambiguity: str | None = None

    def named(self) -> Named:
        action = self._form(self._theirs.action, self._mine.action)
        definitions: list[Definition] = []
        # It grows meanwhile.
        for index, partner in self._pairs:
            definitions.append(self._definition(index, partner))
        return Named(Schema.of_actions(action, tuple(definitions)), self._ambiguity)

    def _form(self, theirs: Form, mine: Form | None) -> Form:
        if isinstance(theirs, int):
            return self._index(theirs, mine if isinstance(mine, int) else None)
        if isinstance(theirs, str) or theirs[0] == "opaque":
            return theirs
        partners: tuple[Any, ...] = (None,) * len(theirs)
        if isinstance(mine, tuple) and (mine[0], len(mine)) == (theirs[0], len(theirs)):
            partners = mine
        if theirs[0] == "Change" and not _has_same_keys((self._mine, partners[1]), (self._theirs, theirs[1])):
            # Its bytes are the program's own, with the keys of the schema for which it has made them.
            return "Never"
        # The first part of a raw value is its name.
        first = 2 if theirs[0] == "raw" else 1
        return (*theirs[:first], *(self._form(part, partner) for part, partner in zip(theirs[first:], partners[first:])))

    def _index(self, theirs: int, mine: int | None) -> int:
        found = self._indices.get((theirs, mine))
        if found is None and mine is not None:
            one, other = self._theirs.definitions[theirs], self._mine.definitions[mine]
            self._left -= len(members_of(one)) + len(members_of(other))
            if type(one) is not type(other) or self._left < 0:
                return self._index(theirs, None)
        if found is None:
            found = self._indices[theirs, mine] = len(self._pairs)
            self._pairs.append((theirs, mine))
        return found

    def _definition(self, index: int, partner: int | None) -> Definition:
        theirs = self._theirs.definitions[index]
        mine = None if partner is None else self._mine.definitions[partner]
        if isinstance(theirs, StructDefinition):
            fields = self._named(theirs, mine.fields if isinstance(mine, StructDefinition) else (), theirs.fields)
            return replace(theirs, fields=tuple(
                replace(one, name=other.name if other else one.name, form=self._form(one.form, other.form if other else None))
                for one, other in fields))  # fmt: skip
        cases: list[CaseDefinition] = []
        for one, other in self._named(theirs, mine.cases if isinstance(mine, EnumDefinition) else (), theirs.cases):
            if other and other.name != one.name and [label for label, _ in other.values] != [label for label, _ in one.values]:
                other = None
            forms: Sequence[tuple[str, Form | None]] = other.values if other else ()
            partners = [form for _, form in forms] if len(forms) == len(one.values) else [None] * len(one.values)
            values = tuple((label, self._form(form, partner)) for (label, form), partner in zip(one.values, partners))
            cases.append(replace(one, name=other.name if other else one.name, values=values))
        return replace(theirs, cases=tuple(cases))

    def _named(
        self, type: Definition, mine: Sequence[Member], theirs: Sequence[Member]
    ) -> Sequence[tuple[Member, Member | None]]:
        """Their members with mine that correspond."""
        partners, ambiguity = corresponding(type.name, theirs, mine)
        self._ambiguity = self._ambiguity or ambiguity
        return [(one, None if partner is None else mine[partner]) for one, partner in zip(theirs, partners)]


def _has_same_keys(mine: tuple[Schema, Form | None], theirs: tuple[Schema, Form | None]) -> bool:
    """True if two types have the same keys and names at all depths."""
    (here, one), (there, other) = mine, theirs
    waiting, seen = [(one, other)], set[tuple[int, int]]()
    while waiting:
        one, other = waiting.pop()
        if isinstance(one, int) and isinstance(other, int):
            if (one, other) in seen:
                continue
            seen.add((one, other))
            first, second = here.definitions[one], there.definitions[other]
            names = [[(part.key, part.name) for part in members_of(each)] for each in (first, second)]
            if type(first) is not type(second) or names[0] != names[1] or len(seen) > MEMBERS:
                return False
            waiting += zip(_forms(first), _forms(second))
            if len(_forms(first)) != len(_forms(second)):
                return False
        elif isinstance(one, tuple) and isinstance(other, tuple):
            if one[0] != other[0] or len(one) != len(other):
                return False
            waiting += zip(one[1:], other[1:]) if one[0] not in ("raw", "opaque") else zip(one[2:], other[2:])
        elif one != other:
            return False
    return True


def _forms(one: Definition) -> list[Form]:
    if isinstance(one, StructDefinition):
        return [field.form for field in one.fields]
    return [form for case in one.cases for _, form in case.values]
