"""The steps of paths that are no names."""

from __future__ import annotations

from typing import Any


class Identity:
    """A step to the element with an id."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.value == other.value

    def __hash__(self) -> int:
        return hash(("Identity", repr(self.value)))

    def __repr__(self) -> str:
        return f"[{self.value!r}]"


class WindowStep:
    """A step to a window of a collection."""

    __slots__ = ("count", "start")

    def __init__(self, start: int, count: int) -> None:
        self.start, self.count = start, count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WindowStep) and (self.start, self.count) == (other.start, other.count)

    def __hash__(self) -> int:
        return hash(("WindowStep", self.start, self.count))

    def __repr__(self) -> str:
        return f"[window {self.start}, {self.count}]"


class RawStep:
    """A step of a path as its bytes."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data
