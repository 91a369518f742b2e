"""The file of an outbox: a small SQLite database, which one client at a time can use.

A commit is written to the system and does not wait for the disk, so it survives the end of the process. Only one that
begins a session waits. A loss of power can therefore take the last actions and outcomes, but never makes the file forget
a session in which actions were sent. Its tables are those of the Swift client (docs/DURABILITY.md).
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Callable
from typing import Any, Union

from . import _cbor
from ._ledger import Changes, Contents, Session, StoredAction
from .core import Core
from .errors import OutboxError, OutboxInUse, ProtocolError, StoreHubError

__all__ = ["Outbox", "Recovered", "warn_of_failure"]

Recovered = Callable[[Any, Union[StoreHubError, None]], None]
"""Called with an action of an earlier process, and None if it took effect, or the reason why it did not."""

APPLICATION = 0x53486F62
VERSION = 1


def warn_of_failure(action: Any, error: StoreHubError | None) -> None:
    """Warns of an action of an earlier process that did not take effect, or may not have."""
    if error is not None:
        warnings.warn(f"an action of an earlier process: {error}: {action!r}", RuntimeWarning, stacklevel=2)


class Outbox:
    """An open outbox, for a core."""

    def __init__(self, path: str | os.PathLike[str], core: Core) -> None:
        """Opens or creates the file and gives its contents to the core; raises `OutboxInUse` and `OutboxError`."""
        self._path, self._core = os.fspath(path), core
        try:
            # Only its user may read it: it has what resumes a session. An existing file is not opened here, because to
            # close it would release the lock of another client of this process.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            pass
        except (OSError, ValueError) as error:
            raise OutboxError(f"cannot create the outbox {self._path}: {getattr(error, 'strerror', error)}") from error
        self._database: sqlite3.Connection | None = None
        try:
            self._database = sqlite3.connect(self._path, timeout=0, isolation_level=None)
            self._lock()
            core.restore(self._contents())
        except sqlite3.Error as error:
            self.close()
            raise self._described(error) from error
        except ProtocolError as error:
            self.close()
            raise self._damaged(str(error)) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Releases the file."""
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def save(self) -> None:
        """Stores what the core has changed, so that it can send its actions. Those that cannot be stored fail."""
        changes = self._core.outbox_changes()
        if changes is None or self._database is None:
            return
        try:
            self._store(self._database, changes)
        except sqlite3.Error as error:
            self._core.outbox_failed(str(self._described(error)))
        else:
            self._core.outbox_stored(changes)

    def _described(self, error: sqlite3.Error) -> OutboxError:
        if "locked" in str(error):
            return OutboxInUse(f"the outbox {self._path} is in use by another client; end that one, or name another file")
        if type(error) is sqlite3.DatabaseError or "no such" in str(error):
            # All other errors of SQLite are of a class below it.
            return self._damaged(str(error))
        if "unable to open" in str(error):
            return OutboxError(f"cannot open the outbox {self._path}: {self._obstacle()}")
        return OutboxError(f"the outbox {self._path}: {error}")

    def _damaged(self, reason: str) -> OutboxError:
        return OutboxError(
            f"the outbox {self._path} is damaged, or another file: {reason}; move the file away, which gives up the actions in it, "
            "and start the client again")

    def _obstacle(self) -> str:
        """Why SQLite does not open the file, which it does not say itself."""
        if os.path.isdir(self._path):
            return "it is a directory; name a file"
        return "let this user read and write the file and its directory"

    def _lock(self) -> None:
        assert self._database
        run = self._database.execute
        for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL", "trusted_schema = OFF"):
            run(f"PRAGMA {pragma}").fetchall()
        run("BEGIN EXCLUSIVE")
        run("COMMIT")
        application, version = run("PRAGMA application_id").fetchone()[0], run("PRAGMA user_version").fetchone()[0]
        tables = run("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if application == 0 and tables == 0:
            run("BEGIN IMMEDIATE")
            run("CREATE TABLE client (id INTEGER PRIMARY KEY CHECK (id = 1), schema BLOB, session BLOB, history INTEGER, "
                "acknowledged INTEGER NOT NULL, last_sent INTEGER NOT NULL) STRICT")
            run("CREATE TABLE actions (number INTEGER PRIMARY KEY, seen INTEGER, action BLOB NOT NULL, "
                "refused INTEGER NOT NULL) STRICT")
            run("INSERT INTO client (id, acknowledged, last_sent) VALUES (1, 0, 0)")
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {VERSION}")
            run("COMMIT")
        elif (application, version) != (APPLICATION, VERSION):
            raise OutboxError(f"{self._path} is not an outbox, or one of a later version of this client; name another file")

    def _contents(self) -> Contents:
        assert self._database
        run = self._database.execute
        problem = run("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise ProtocolError(problem)
        row = run("SELECT schema, session, history, acknowledged, last_sent FROM client").fetchone()
        if row is None:
            raise ProtocolError("the row of the table client is missing")
        schema, session, history, acknowledged, last_sent = row
        if acknowledged < 0 or last_sent < 0:
            raise ProtocolError("the row of the table client has numbers of no session")
        rows = run("SELECT number, action, seen, refused FROM actions ORDER BY number").fetchall()
        if rows and rows[0][0] < 1:
            raise ProtocolError(f"an action has the number {rows[0][0]}")
        return Contents(
            schema, Session(None if session is None else _session(session), _unsigned(history), acknowledged, last_sent),
            tuple(StoredAction(number, data, _unsigned(seen), bool(refused)) for number, data, seen, refused in rows))

    def _store(self, database: sqlite3.Connection, changes: Changes) -> None:
        if changes.must_reach_disk:
            database.execute("PRAGMA synchronous = FULL")
        try:
            database.execute("BEGIN IMMEDIATE")
            try:
                self._write(database, changes)
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
        finally:
            if changes.must_reach_disk:
                database.execute("PRAGMA synchronous = NORMAL")

    def _write(self, database: sqlite3.Connection, changes: Changes) -> None:
        if changes.schema is not None:
            database.execute("DELETE FROM actions")
            database.execute("UPDATE client SET schema = ?", (changes.schema,))
        else:
            database.execute("DELETE FROM actions WHERE number <= ?", (changes.settled,))
            database.executemany("DELETE FROM actions WHERE number = ?", [(number,) for number in changes.removed])
        database.executemany(
            "INSERT INTO actions (number, seen, action, refused) VALUES (?, ?, ?, ?)",
            [(one.number, _signed(one.seen), one.data, int(one.is_refused)) for one in changes.added])
        database.executemany("UPDATE actions SET refused = 1 WHERE number = ?", [(number,) for number in changes.refused])
        session = changes.session
        database.execute(
            "UPDATE client SET session = ?, history = ?, acknowledged = ?, last_sent = ?",
            (None if session.session is None else _cbor.encoded(session.session), _signed(session.history),
             session.acknowledged, session.last_sent))


def _session(data: bytes) -> bytes:
    """The session in its bytes, of which a hub would not take another form."""
    try:
        session = _cbor.decoded(data)
    except ProtocolError as error:
        raise ProtocolError(f"the session cannot be read: {error}") from error
    if not isinstance(session, bytes) or len(session) != 16:
        raise ProtocolError("the session cannot be read: it has 16 bytes")
    return session


def _signed(value: int | None) -> int | None:
    """The same 64 bits as SQLite has them."""
    return value - (1 << 64) if value is not None and value >= 1 << 63 else value


def _unsigned(value: int | None) -> int | None:
    return value + (1 << 64) if value is not None and value < 0 else value
