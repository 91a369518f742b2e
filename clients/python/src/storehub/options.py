"""The options of a client."""

from __future__ import annotations

from dataclasses import dataclass

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
