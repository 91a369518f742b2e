"""The options of a client."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Any

from ._messages import PAYLOAD_BYTES

__all__ = ["Options"]


@dataclass(frozen=True)
class Options:
    """The options of a client. Times are seconds."""

    name: str = "python"
    """The client's name in the hub's log and among the attendees, at most 128 bytes."""
    timeout: float = 10.0
    """How long the hub may be silent while an answer is pending, before the connection counts as lost."""
    shortest_delay: float = 0.05
    """The delay before the first attempt to reconnect. It doubles with each further one, and has a random part."""
    longest_delay: float = 5.0
    """The longest delay between two attempts."""
    probe_interval: float | None = None
    """The silence after which an idle client sends a ping; None for never."""
    pending_actions: int = 65_536
    """How many actions may wait for their outcomes."""
    pending_bytes: int = 64 << 20
    """From how many bytes of such actions on a further one waits."""
    payload_bytes: int = PAYLOAD_BYTES
    """The largest payload that is accepted. A smaller number than the default may refuse a delta."""
    state_bytes: int = 1 << 30
    """The largest snapshot that is accepted."""
    sends_after_loss: bool = True
    """False to fail waiting actions with `StateLost` if the hub comes back without states that this client has seen."""

    def __post_init__(self) -> None:
        """Raises `TypeError` and `ValueError`: with such an option a client would wait for ever, or not at all."""
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"the name of a client is a text, not {self.name!r}")
        if len(self.name.encode()) > 128:
            raise ValueError("the name of a client has at most 128 bytes")
        for name in ("timeout", "shortest_delay", "longest_delay", "probe_interval"):
            value = getattr(self, name)
            if value is not None or name != "probe_interval":
                seconds(name, value)
        for name in ("pending_actions", "pending_bytes", "payload_bytes", "state_bytes"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"{name} is an integer, not {value!r}")
            if value <= 0:
                raise ValueError(f"{name} is above 0, not {value!r}")
        if not isinstance(self.sends_after_loss, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"sends_after_loss is True or False, not {self.sends_after_loss!r}")


def seconds(name: str, value: Any, least: float | None = None) -> None:
    """Refuses what is no time above 0, or not below `least`."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(f"{name} is a number of seconds, not {value!r}")
    if math.isnan(value) or (value <= 0 if least is None else value < least):
        raise ValueError(f"{name} is {'above 0' if least is None else f'at least {least:g}'}, not {value!r}")


def checked(wait: Any, on_recovered: Any) -> None:
    """Refuses arguments of `connect` that a client would use when it has opened its files and its connection."""
    if wait is not None:
        seconds("wait", wait, 0)
    if not callable(on_recovered) or inspect.iscoroutinefunction(on_recovered):
        raise TypeError(f"on_recovered is a function that is no coroutine, not {on_recovered!r}")
