"""The errors of the client. Every error says what happened and, where it helps, what to do."""

from __future__ import annotations

import enum

__all__ = [
    "Absent",
    "ActionError",
    "ActionTooLarge",
    "Closed",
    "ConnectionFailed",
    "HashMismatch",
    "InvalidValue",
    "KeptInOutbox",
    "LimitReached",
    "NotConnected",
    "NotStored",
    "OutboxError",
    "OutboxInUse",
    "OutcomeUnknown",
    "ProtocolError",
    "Refused",
    "Rejected",
    "RejectionCode",
    "SchemaMismatch",
    "StateLost",
    "StoreHubError",
    "TooManyPending",
    "UnknownPart",
]


class StoreHubError(Exception):
    """The base of all errors of this package."""


class ProtocolError(StoreHubError):
    """The hub sent what the protocol does not allow. The client closes the connection and connects again."""


class InvalidValue(StoreHubError, ValueError):
    """A value is not of the type that the hub's schema has for its place."""


class SchemaMismatch(StoreHubError):
    """The hub's schema and the generated types differ: generate the types again from this hub."""


class UnknownPart(StoreHubError, LookupError):
    """The state has no part with this path, or the hub does not permit it, or does not take the parameter of its view."""


class Absent(StoreHubError, LookupError):
    """The part has no value now: an optional on its path is null, or an element is gone."""


class LimitReached(Absent):
    """The hub has not attached the part because of one of its limits, which the text names. The other parts go on.

    It is attached when other parts are detached and leave room for it, or after a new connection.
    """


class HashMismatch(StoreHubError):
    """The hub's hash of a part differs from that of the client's value. The part is attached again."""


class ConnectionFailed(StoreHubError, ConnectionError):
    """There is no hub at the socket, or it did not answer in time."""


class Refused(StoreHubError):
    """The hub and this client are incompatible, or the user may not use the hub. There are no further attempts."""


class Closed(StoreHubError):
    """The client was closed."""


class ActionError(StoreHubError):
    """An action did not take effect, or its outcome is unknown."""


class RejectionCode(enum.IntEnum):
    """The codes of rejections (PROTOCOL.md, 6.10). A later hub may have further ones."""

    NOT_AN_ACTION = 1
    """The bytes are not an action of this hub's feature."""
    NOT_PERMITTED = 2
    """The user may not send this action."""
    STATE_TOO_LARGE = 3
    """The state would exceed the size that the hub allows."""
    UNREADABLE_STATE = 4
    """The state after it could not be read back from its bytes."""
    REPEATED_CRASH = 5
    """The hub's process ended twice while its reducer handled the action."""
    REFUSED_BY_FEATURE = 6
    """The feature has refused the action; the reason is the feature's."""
    LATE = 7
    """The element, or what was presented, is gone or was replaced, or an added element's id is taken."""


class Rejected(ActionError):
    """The hub rejected the action: it had no effect.

    `code` is a `RejectionCode`, or the number of a code that this client does not know.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code: RejectionCode | int = code
        if code in RejectionCode._value2member_map_:
            self.code = RejectionCode(code)
        self.reason = reason

    def __str__(self) -> str:
        return f"the hub rejected the action: {self.reason}"


class OutcomeUnknown(ActionError):
    """The hub lost the session before it answered: the action may or may not have taken effect."""


class StateLost(ActionError):
    """The action was not sent, because the hub came back without states that this client may have seen."""


class TooManyPending(ActionError):
    """Too many actions wait for their outcomes; this one was not taken."""


class ActionTooLarge(ActionError):
    """The action has more bytes than the hub takes."""


class NotConnected(ActionError):
    """The client was closed, or refused by the hub, before the action was sent."""


class NotStored(ActionError):
    """The outbox could not store the action, so it was not sent."""


class KeptInOutbox(ActionError):
    """The client was closed before the outcome was known. The next client with this outbox sends the action."""


class OutboxError(StoreHubError):
    """The outbox cannot be used: it is another file, damaged, or cannot be read or written."""


class OutboxInUse(OutboxError):
    """Another client uses the outbox, in this process or in another one."""
