"""The states of a client's connection to its hub."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

__all__ = ["ConnectionState", "Connecting", "Ended", "Live", "Stale"]


@dataclass(frozen=True, slots=True)
class Connecting:
    """The client has not been connected yet; `failure` is the reason why the last attempt failed."""

    attempt: int
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Live:
    """The client is connected, and its parts are up to date as soon as the hub has sent them. `hub` is its name."""

    hub: str


@dataclass(frozen=True, slots=True)
class Stale:
    """The connection is lost, and attempts to reconnect continue. The parts keep their last values."""

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The client was closed, or the hub and the client are incompatible. There are no further attempts."""

    reason: str
    is_refused: bool = False


ConnectionState = Union[Connecting, Live, Stale, Ended]
