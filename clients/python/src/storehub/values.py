"""The values of types that Python does not have. All are immutable, and compare by what they hold."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast, overload

from ._cbor import Item

__all__ = [
    "AlertState",
    "ButtonState",
    "ConfirmationDialogState",
    "Date",
    "Duration",
    "Failure",
    "IdentifiedArray",
    "Range",
    "RelativeURL",
    "Some",
    "StackElement",
    "Success",
    "TextState",
    "Window",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
ID = TypeVar("ID")

_EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)


@dataclass(frozen=True, slots=True)
class Some(Generic[T_co]):
    """The value of an optional whose value is an optional itself: `Some(None)` is not `None`."""

    value: T_co


@dataclass(frozen=True, slots=True)
class Success(Generic[T_co]):
    """The success of a Swift `Result`."""

    value: T_co


@dataclass(frozen=True, slots=True)
class Failure(Generic[T_co]):
    """The failure of a Swift `Result`."""

    error: T_co


@dataclass(frozen=True, slots=True)
class Range(Generic[T_co]):
    """A Swift `Range` (without `upper`) or `ClosedRange` (with it)."""

    lower: T_co
    upper: T_co


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of time. Both numbers have the same sign, and `attoseconds` has less than 10^18."""

    seconds: int
    attoseconds: int = 0

    def __float__(self) -> float:
        return self.seconds + self.attoseconds / 1e18


class Date(float):
    """A moment: the seconds since the beginning of 2001 in UTC, as Swift's `Date` has them.

    >>> Date.of(datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc)).datetime.isoformat()
    '2024-02-29T00:00:00+00:00'
    """

    __slots__ = ()

    @classmethod
    def of(cls, moment: datetime.datetime) -> Date:
        """The same moment; one without a time zone is in UTC."""
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.timezone.utc)
        return cls((moment - _EPOCH).total_seconds())

    @property
    def datetime(self) -> datetime.datetime:
        """The same moment in UTC, to the microsecond; raises `OverflowError` for one that `datetime` does not have."""
        return _EPOCH + datetime.timedelta(seconds=self)


@dataclass(frozen=True, slots=True)
class RelativeURL:
    """A URL that is relative to another one. An absolute URL is a `str`."""

    relative: str
    base: str | RelativeURL


@dataclass(frozen=True, slots=True)
class StackElement(Generic[T_co]):
    """An element of a stack, with its id."""

    id: int
    element: T_co


@dataclass(frozen=True, slots=True)
class Window(Generic[T_co]):
    """Adjacent elements of a collection: `elements` begin at the position `start` of `count` elements."""

    count: int
    start: int
    elements: Sequence[T_co]


@dataclass(frozen=True, slots=True)
class TextState:
    """A text of the architecture, in pieces with styles (PROTOCOL.md, 9). `str` gives the text alone."""

    pieces: tuple[tuple[str, Item], ...]

    def __str__(self) -> str:
        return "".join(text for text, _ in self.pieces)


@dataclass(frozen=True, slots=True)
class ButtonState(Generic[T_co]):
    """A button of an alert. `role` is None, `"cancel"` or `"destructive"`."""

    role: str | None
    action: T_co | None
    label: TextState


@dataclass(frozen=True, slots=True)
class AlertState(Generic[T_co]):
    """An alert, whose buttons send actions."""

    title: TextState
    message: TextState | None
    buttons: tuple[ButtonState[T_co], ...]


@dataclass(frozen=True, slots=True)
class ConfirmationDialogState(Generic[T_co]):
    """A confirmation dialog. `visibility` of the title is `"automatic"`, `"hidden"` or `"visible"`."""

    visibility: str
    title: TextState
    message: TextState | None
    buttons: tuple[ButtonState[T_co], ...]


class IdentifiedArray(Sequence[T], Generic[ID, T]):
    """The elements of an identified array or of a stack, in order; `with_id` finds one by its id.

    A sequence like a tuple, and equal to any other sequence with the same elements. An old version keeps its elements
    when the hub changes the array.
    """

    __slots__ = ("_identify", "_index", "_items")

    def __init__(
        self,
        items: Iterable[T] = (),
        identify: Callable[[T], Hashable] | None = None,
        index: dict[Hashable, int] | None = None,
    ) -> None:
        """An array for an action. Those that the client reads also have `identify`, which returns an element's id."""
        self._items = items if isinstance(items, list) else list(items)
        self._identify = identify
        self._index = index

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return tuple(self._items[place]) if isinstance(place, slice) else self._items[place]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (str, bytes)) or not isinstance(other, Sequence):
            return False
        return self._items == list(cast("Sequence[object]", other))

    def __hash__(self) -> int:
        return hash(tuple(self._items))

    def __repr__(self) -> str:
        return repr(self._items)

    def with_id(self, identity: ID) -> T | None:
        """The element with this id, or None. O(1) after the first call for an array of the same structure."""
        place = self.place(identity if isinstance(identity, Hashable) else None)
        return None if place is None else self._items[place]

    def place(self, identity: Hashable) -> int | None:
        """The position of the element with this id."""
        if self._identify is None:
            raise LookupError("only an array from the hub knows the ids of its elements")
        if self._index is None:
            self._index = {self._identify(item): place for place, item in enumerate(self._items)}
        return self._index.get(identity)
