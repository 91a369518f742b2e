"""What an outbox keeps of a client, and what of it is stored, without input and output.

An action is sent only when it is stored, together with the mark that it may have been sent, and it is removed when its
outcome is known. So whatever a process has sent, the next one knows, with its sequence number.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Changes", "Contents", "Ledger", "Session", "StoredAction"]


@dataclass(frozen=True)
class Session:
    """The session to resume, and how far it has come. `last_sent` is the number of the last action that may have been sent."""

    session: bytes | None = None
    history: int | None = None
    acknowledged: int = 0
    last_sent: int = 0


@dataclass(frozen=True)
class StoredAction:
    """An action. `number` grows with each action, across processes; `data` is empty if nobody can read it any more.

    A refused one has an outcome. It is kept until the hub acknowledges its sequence number, since it has one.
    """

    number: int
    data: bytes
    seen: int | None = None
    is_refused: bool = False


@dataclass(frozen=True)
class Contents:
    """All of an outbox."""

    schema: bytes | None = None
    session: Session = Session()
    actions: tuple[StoredAction, ...] = ()


@dataclass
class Changes:
    """What is to be stored, all or nothing."""

    session: Session
    schema: bytes | None = None
    """The schema, if the added actions replace all others."""
    must_reach_disk: bool = False
    """True if this must survive a loss of power before an action is sent: the session is another one, or actions have failed,
    so that later ones get their numbers, or that the hub is about to forget their rejection."""
    settled: int = 0
    """The actions up to this number have outcomes."""
    removed: list[int] = field(default_factory=list[int])
    refused: list[int] = field(default_factory=list[int])
    added: list[StoredAction] = field(default_factory=list[StoredAction])


class Ledger:
    """What is stored, and what has changed since."""

    def __init__(self, contents: Contents) -> None:
        self.stored = contents.session
        self.schema = contents.schema
        self.last_number = max([contents.session.last_sent, *(action.number for action in contents.actions)])
        self.last_stored = contents.actions[-1].number if contents.actions else 0
        self.last_restored: int | None = self.last_stored
        self.settled = 0
        self.removed: list[int] = []
        self.refused: list[int] = []

    def next_number(self) -> int:
        """The number of a new action."""
        self.last_number += 1
        return self.last_number

    def changes(self, session: Session, schema: bytes | None, pending: list[StoredAction]) -> Changes | None:
        """What is to be stored now; None for nothing."""
        replaces = schema is not None and schema != self.schema
        added = pending if replaces else [action for action in pending if action.number > self.last_stored]
        if not (replaces or added or self.settled or self.removed or self.refused or session != self.stored):
            return None
        # An action whose outcome came from the hub leaves the others' numbers as they are.
        changes_numbers = len(self.removed) != session.acknowledged - self.stored.acknowledged
        must_reach_disk = session.session != self.stored.session or changes_numbers or bool(self.refused)
        return Changes(
            session, schema if replaces else None, must_reach_disk, self.settled, self.removed, self.refused, added)

    def store(self, changes: Changes) -> None:
        """The changes are stored."""
        self.stored = changes.session
        if changes.schema is not None:
            self.schema = changes.schema
        if changes.added:
            self.last_stored = changes.added[-1].number
        self.settled, self.removed, self.refused = 0, [], []
