"""Paths from the root of a state to a part of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, Union, overload

from ._types import Identity, WindowStep
from .schema import Model
from .values import Window

__all__ = ["ArrayPath", "ElementsPath", "Path", "PlainPath", "path", "views"]

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
ID = TypeVar("ID")
T = TypeVar("T")
P = TypeVar("P")

Step = Union[str, Identity, WindowStep]


class Path(Generic[V_co]):
    """A path to a part with values of type `V_co`. Generated classes extend it with an accessor for each field."""

    def __init__(self, steps: tuple[Step, ...] = (), model: Model | None = None, root: int = 0) -> None:
        """Made by generated code, or see `path`."""
        self._steps, self._model, self._root = steps, model, root

    def _to(self, step: Step, make: Callable[[tuple[Step, ...], Model | None, int], P]) -> P:
        return make((*self._steps, step), self._model, self._root)

    def _elements(self, step: str, element: Callable[[tuple[Step, ...], Model | None, int], P]) -> Any:
        """For generated code: the path to an identified array or a stack."""
        made: ElementsPath[Any, Any, Any, P] = ElementsPath((*self._steps, step), self._model, self._root, element)
        return made

    def __repr__(self) -> str:
        text = ""
        for step in self._steps:
            text += step if isinstance(step, str) and not text else f".{step}" if isinstance(step, str) else repr(step)
        return text or "."

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Path):
            return False
        return (self._steps, self._root) == (other._steps, other._root)  # pyright: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        return hash((self._steps, self._root))


class ArrayPath(Path[V], Generic[V, T]):
    """A path to an array of `T`. A slice of it is a window: `path[0:50]`, or `path[-20:]` for the last 20 elements."""

    def __getitem__(self, place: slice) -> Path[Window[T]]:
        return self._to(_window(place), Path[Window[T]])


class ElementsPath(Path[V], Generic[V, ID, T, P]):
    """A path to an identified array or a stack: `path[id]` is an element, `path[0:50]` and `path[-20:]` are windows."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        model: Model | None,
        root: int,
        element: Callable[[tuple[Step, ...], Model | None, int], P],
    ) -> None:
        super().__init__(steps, model, root)
        self._element = element

    @overload
    def __getitem__(self, place: slice) -> Path[Window[T]]: ...
    @overload
    def __getitem__(self, place: ID) -> P: ...
    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return self._to(_window(place), Path[Window[T]])
        return self._to(Identity(place), self._element)


class PlainPath(Path[Any]):
    """A path without generated types. See `path`."""

    def __getattr__(self, name: str) -> PlainPath:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._to(name, PlainPath)

    def field(self, name: str) -> PlainPath:
        """The step to a field or a case whose name Python does not allow here."""
        return self._to(name, PlainPath)

    def __getitem__(self, place: Any) -> PlainPath:
        return self._to(_window(place) if isinstance(place, slice) else Identity(place), PlainPath)


path = PlainPath()
"""The root of the feature's state, for paths without generated types, by the names of the source.

    path.todos.todos            a field of a field; optionals need no step
    path.todos.todos[3].text    a field of the element with the id 3
    path.todos.todos[0:50]      the window with the first 50 elements
    path.todos.todos[-20:]      the window with the last 20
"""

views = PlainPath(root=3)
"""The views that the hub's feature declares, for paths into one of them.

    views.active                the view with this name
    views.active[0:50]          the window with the first 50 elements of its value
    views.tagged["urgent"]      the value for a parameter
"""


def _window(place: Any) -> WindowStep:
    """The window of a slice: `[start:stop]` with positions from the start, or `[-count:]`."""
    start, stop = place.start or 0, place.stop
    if place.step not in (None, 1):
        raise ValueError("a window has adjacent elements: a slice with a step is none")
    if start < 0:
        # From the end, also after others have been appended.
        if stop is not None and not start < stop < 0:
            raise ValueError("a window from the end is [-start:] or [-start:-stop]")
        return WindowStep(start, (stop or 0) - start)
    if stop is None or stop <= start:
        raise ValueError("a window has a number of elements, such as [0:50] or [-20:]")
    return WindowStep(start, stop - start)
