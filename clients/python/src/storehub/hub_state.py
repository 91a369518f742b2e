"""The hub's own state: who is connected, and its metrics (PROTOCOL.md, 9.2 and 9.3)."""

from __future__ import annotations

from typing import Any, TypedDict

from .paths import PlainPath
from .values import IdentifiedArray

__all__ = ["ATTENDEES", "METRICS", "AttachedPart", "Attendee", "Attendees"]


class AttachedPart(TypedDict):
    """A part that a client has attached."""

    root: int
    path: str


class Attendee(TypedDict, total=False):
    """A client that is connected: its name, process and user, and since when, in milliseconds since 1970.

    `process` is 0 for a client on another node of a cluster, and `node` the name of its node."""

    id: int
    name: str
    process: int
    user: int
    since: int
    parts: tuple[AttachedPart, ...]
    scopes: int
    heldBytes: int
    node: str


Attendees = IdentifiedArray[int, Attendee]

ATTENDEES = PlainPath(("attendees",), None, 1)
METRICS: Any = PlainPath((), None, 2)
