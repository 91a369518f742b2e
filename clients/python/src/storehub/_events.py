"""What the core reports to its shell."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Union

from ._parts import Action, Subscription
from .states import ConnectionState


class Phase(enum.Enum):
    """Where a conversation stands (PROTOCOL.md, 7.2)."""

    DOWN = enum.auto()
    CONNECTING = enum.auto()
    GREETING = enum.auto()
    DESCRIBING = enum.auto()
    OPEN = enum.auto()
    ENDED = enum.auto()


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The state of the connection is another one."""

    state: ConnectionState


@dataclass(frozen=True, slots=True)
class PartChanged:
    """A part has a new value, was detached, or failed."""

    part: Subscription


@dataclass(frozen=True, slots=True)
class ActionDone:
    """An action has an outcome."""

    action: Action


@dataclass(frozen=True, slots=True)
class Verified:
    """The answer to a verification: None if the part has no value, or its type cannot be compared."""

    part: Subscription
    matches: bool | None


@dataclass(frozen=True, slots=True)
class Described:
    """The schema of a root is known."""

    root: int


Event = Union[StateChanged, PartChanged, ActionDone, Verified, Described]
