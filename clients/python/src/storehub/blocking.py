"""The client for programs without asyncio.

    with storehub.blocking.connect() as hub:
        todos = hub.attach("todos.todos")
        hub.send({"todos": {"addButtonTapped": "oat milk"}})
        for value in todos.values():
            print([todo["text"] for todo in value])

It has no thread of its own: the connection is served while a method waits, and by `poll`. Meanwhile the hub keeps what
changes, and sends it as one change. Not for several threads at once.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

from . import _places
from ._parts import Action, Subscription
from ._events import ActionDone, Event, Phase, Verified
from .core import Core
from .errors import Closed, ConnectionFailed, KeptInOutbox, NotConnected, Refused
from .hub_state import ATTENDEES, METRICS
from .outbox import Outbox, Recovered, warn_of_failure
from .options import Options, checked
from .paths import Path
from .schema import Schema
from .states import ConnectionState, Ended, Live

__all__ = ["Hub", "Part", "Sent", "connect"]

T = TypeVar("T")

READ_BYTES = 1 << 18
LONGEST_WAIT = 3600.0
"""The longest wait of one call of the system, in seconds: it takes no infinite one."""


def connect(
    path: str | None = None, *, wait: float | None = 10.0, outbox: str | os.PathLike[str] | None = None,
    on_recovered: Recovered = warn_of_failure, **options: Any
) -> Hub:
    """A client of the hub at a socket, as a context manager. The arguments are those of `storehub.connect`."""
    checked(wait, on_recovered)
    return Hub(_places.socket_path(path), wait, Options(**options), outbox, on_recovered)


class Sent:
    """An action that was taken. `wait` waits for its outcome; `cancel` cancels the effects that it has started."""

    def __init__(self, hub: Hub, action: Action) -> None:
        self._hub, self._action = hub, action

    @property
    def is_done(self) -> bool:
        """True if the outcome is known."""
        return self._action.is_done

    def wait(self, timeout: float | None = None) -> None:
        """Returns when the action took effect; raises as `Hub.send` does, and `TimeoutError`."""
        self._hub._pump(lambda: self._action.is_done, timeout)
        if self._action.error is not None:
            raise self._action.error

    def cancel(self) -> None:
        """Cancels the effects that the action has started on the hub and that still run. The action is not taken back."""
        self._hub._core.cancel(self._action)
        self._hub.poll()


class Part(Generic[T]):
    """A part of the state, kept up to date by the hub while the client is served."""

    def __init__(self, hub: Hub, subscription: Subscription) -> None:
        self._hub, self._subscription = hub, subscription

    @property
    def value(self) -> T:
        """The value that arrived last; raises `Absent` if there is none now."""
        if self._subscription.error is not None:
            raise self._subscription.error
        if not self._subscription.is_present:
            raise self._subscription.absence()
        value: T = self._subscription.value
        return value

    @property
    def is_present(self) -> bool:
        """True if the part has a value."""
        return self._subscription.is_present

    @property
    def revision(self) -> int:
        """The revision of the value."""
        return self._subscription.revision or 0

    def values(self, timeout: float | None = None) -> Iterator[T]:
        """The value, and then each new one; ends when the part is detached, or after `timeout` seconds without a new one."""
        seen, part = 0, self._subscription
        while True:
            try:
                self._hub._pump(lambda: part.version != seen, timeout)
            except TimeoutError:
                return
            seen = part.version
            if part.error is not None:
                raise part.error
            if part.is_detached:
                return
            if part.is_present:
                yield part.value

    def wait_until(self, condition: Callable[[T], bool], timeout: float | None = None) -> T:
        """The first value, beginning with the one of now, for which the condition is true; raises `TimeoutError`.

        While the part is absent, there is no value. Raises `Closed` when the part is detached.
        """
        deadline = _deadline(timeout)
        part = self._subscription
        while True:
            seen = part.version
            if part.error is not None:
                raise part.error
            if part.is_detached:
                raise Closed("the part was detached")
            if part.is_present and condition(part.value):
                value: T = part.value
                return value
            self._hub._pump(lambda: part.version != seen, _left(deadline))

    def verify(self) -> bool | None:
        """Compares the hash of the value with the hub's; None if the part has no value, or types that differ from the hub's."""
        return self._hub._verify(self._subscription)

    def detach(self) -> None:
        """Ends the subscription."""
        self._hub._core.detach(self._subscription)
        self._hub.poll()


class Hub:
    """A client of a hub. It reconnects by itself, resumes its session, and sends each action exactly once."""

    def __init__(
        self, path: str, wait: float | None, options: Options, outbox: str | os.PathLike[str] | None = None,
        on_recovered: Recovered = warn_of_failure
    ) -> None:
        self._path, self._wait = path, wait
        self._core = Core(options)
        self._outbox_path, self._on_recovered = outbox, on_recovered
        self._outbox: Outbox | None = None
        self._socket: socket.socket | None = None
        self._unwritten = bytearray()
        self._answers: dict[Subscription, bool | None] = {}
        self._is_entered = False

    def __enter__(self) -> Hub:
        if self._is_entered or self._core.is_ended:
            raise NotConnected("a client is entered once: make another one")
        if self._outbox_path is not None:
            self._outbox = Outbox(self._outbox_path, self._core)
        self._is_entered = True
        if self._wait != 0:
            try:
                self._pump(self._is_settled, self._wait)
            except TimeoutError:
                state = self.state
                reason = getattr(state, "failure", None) or getattr(state, "reason", None) or "no answer"
                self.close()
                raise ConnectionFailed(f"no hub at {self._path} within {self._wait:g} s: {reason}") from None
            except BaseException:
                self.close()
                raise
            if isinstance(self.state, Ended):
                self.close()
                raise Refused(self.state.reason)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session and closes the connection. With an outbox, actions without an outcome are kept in it."""
        try:
            self._save()
            self._core.close()
            self._save()
            if self._socket is not None:
                self._write(self._socket)
            self._close("the client was closed")
        finally:
            if self._outbox is not None:
                self._outbox.close()

    def _is_settled(self) -> bool:
        return isinstance(self.state, (Live, Ended))

    # Requests

    @property
    def state(self) -> ConnectionState:
        """The state of the connection, when it was served last."""
        return self._core.state

    @property
    def state_directory(self) -> str | None:
        """The hub's state directory, if it has a journal that this user may read."""
        return self._core.welcome.state_directory if self._core.welcome else None

    def schema(self) -> Schema:
        """The schema of the feature."""
        self._pump(lambda: self._core.schema() is not None or self._core.is_ended, None)
        schema = self._core.schema()
        if schema is None:
            raise Refused(getattr(self.state, "reason", "the client was closed"))
        return schema

    @overload
    def attach(self, path: Path[T], timeout: float | None = None) -> Part[T]: ...
    @overload
    def attach(self, path: str, timeout: float | None = None) -> Part[Any]: ...
    def attach(self, path: Path[Any] | str, timeout: float | None = None) -> Part[Any]:
        """Subscribes to a part of the state, and waits for its value or its absence. See `storehub.Hub.attach`.

        Raises `TimeoutError` as well, and then has not subscribed.
        """
        part: Part[Any] = Part(self, self._core.attach(_places.parsed(path)))
        subscription = part._subscription
        try:
            self._pump(subscription.is_known, timeout)
        except BaseException:
            self._core.detach(subscription)
            raise
        if subscription.error is not None:
            raise subscription.error
        return part

    def attendees(self) -> Part[Any]:
        """The clients that are connected."""
        return self.attach(ATTENDEES)

    def metrics(self) -> Part[Any]:
        """The hub's metrics (PROTOCOL.md, 9.3), as a dictionary."""
        return self.attach(METRICS)

    def begin(self, action: Any, *, seen: int | None = None) -> Sent:
        """Takes an action, and returns before it is stored. Waits while too many are pending. See `storehub.Hub.begin`."""
        return self._begin(action, seen, None)

    def _begin(self, action: Any, seen: int | None, timeout: float | None) -> Sent:
        # The core refuses it if there is no room by then.
        with contextlib.suppress(TimeoutError):
            self._pump(lambda: self._core.has_room or self._core.is_ended, timeout)
        sent = Sent(self, self._core.begin(action, seen))
        if self._socket is None:
            # Otherwise with others, when it is sent.
            self._save()
        return sent

    def send(self, action: Any, *, seen: int | None = None, timeout: float | None = None) -> None:
        """Sends an action, and returns when the hub has applied it, and stored it if it has a journal.

        Raises `Rejected`, `OutcomeUnknown`, `InvalidValue`, `ActionTooLarge`, `NotConnected` and `TimeoutError`. After a timeout,
        the action is still sent; but if too many were pending all the time, it was not taken, and this raises `TooManyPending`.
        """
        deadline = _deadline(timeout)
        self._begin(action, seen, timeout).wait(_left(deadline))

    def poll(self, timeout: float = 0) -> None:
        """Serves the connection: writes, reads what has arrived, and waits for more for at most `timeout` seconds.

        It does not wait if something has happened at once: the outbox could not store an action.
        """
        self._step(timeout)

    def fileno(self) -> int:
        """The descriptor of the socket, so that a program can wait for several: call `poll` when it is readable.

        Raises `ConnectionFailed` while there is no connection.
        """
        if self._socket is None:
            raise ConnectionFailed("there is no connection now")
        return self._socket.fileno()

    def _verify(self, part: Subscription) -> bool | None:
        self._answers.pop(part, None)
        if not self._core.verify(part):
            return None
        self._pump(lambda: part in self._answers or self._core.phase is not Phase.OPEN or part.is_detached, None)
        return self._answers.pop(part, None)

    # The connection

    def _pump(self, is_done: Callable[[], bool], timeout: float | None) -> None:
        """Serves the connection until something has come true."""
        deadline = _deadline(timeout)
        while not is_done():
            left = 3600.0 if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("the hub has not answered in time")
            self._step(left)

    def _step(self, timeout: float) -> None:
        """One wait for the socket, at most until the timeout or the core's deadline."""
        if self._core.is_ended:
            self._close("the client was closed")
            return
        if self._socket is None and not self._open(timeout):
            return
        stream = self._socket
        assert stream is not None
        self._write(stream)
        if self._collect():
            # It may be what the caller waits for: an action that the outbox could not store has failed now.
            timeout = 0
            if self._socket is not stream:
                # `on_recovered` has closed the client.
                return
        deadline = self._core.deadline()
        now = time.monotonic()
        wait = timeout if deadline is None else min(timeout, max(0.0, deadline - now))
        if not self._core.wants_close:
            self._wait_for(stream, wait)
        if self._core.wants_close:
            self._close("the connection was closed")

    def _wait_for(self, stream: socket.socket, wait: float) -> None:
        # Unlike select, it takes descriptors above 1,023.
        poll = select.poll()
        poll.register(stream, select.POLLIN | (select.POLLOUT if self._unwritten else 0))
        events = poll.poll(math.ceil(min(wait, LONGEST_WAIT) * 1000))
        now = time.monotonic()
        if events and events[0][1] & ~select.POLLOUT:
            try:
                data = stream.recv(READ_BYTES)
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                self._close(str(error))
                return
            if not data:
                self._close("the hub closed the connection")
                return
            self._core.receive(data, now)
            self._collect()
            self._write(stream)
        else:
            self._core.tick(now)

    def _open(self, timeout: float) -> bool:
        delay = self._core.retry_at - time.monotonic()
        if delay > 0:
            time.sleep(min(delay, timeout))
            if delay > timeout:
                return False
        self._core.connect_now()
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            stream.settimeout(min(self._core.options.timeout, LONGEST_WAIT))
            stream.connect(self._path)
        except OSError as error:
            stream.close()
            self._core.disconnected(f"{self._path}: {error.strerror or error}", time.monotonic())
            self._collect()
            return False
        stream.setblocking(False)
        self._socket, self._unwritten = stream, bytearray()
        self._core.connected(time.monotonic())
        return True

    def _save(self) -> None:
        if self._outbox is not None:
            self._outbox.save()

    def _write(self, stream: socket.socket) -> None:
        self._save()
        self._unwritten += self._core.take_output(time.monotonic())
        sent = 0
        with memoryview(self._unwritten) as unwritten:
            try:
                while sent < len(unwritten):
                    sent += stream.send(unwritten[sent:])
            except (BlockingIOError, InterruptedError):
                pass
            except OSError:
                # What has arrived may have the reason, and the end follows it.
                sent = len(unwritten)
        del self._unwritten[:sent]

    def _close(self, reason: str) -> None:
        stream, self._socket = self._socket, None
        if stream is not None:
            stream.close()
            self._core.disconnected(reason, time.monotonic())
        self._collect()

    def _cut(self) -> None:
        """Writes and closes the connection, for tests. The client then connects again."""
        if self._socket is not None:
            self._write(self._socket)
            self._close("cut")

    def _collect(self) -> bool:
        """Handles what has happened; returns false if nothing has."""
        events = self._core.take_events()
        failure: Exception | None = None
        for event in events:
            try:
                self._event(event)
            except Exception as error:  # noqa: BLE001
                # Of `on_recovered`, or a warning that is an error. The other events are heard nevertheless.
                failure = failure or error
        if failure is not None:
            raise failure
        return bool(events)

    def _event(self, event: Event) -> None:
        if isinstance(event, ActionDone) and event.action.is_recovered:
            if not isinstance(event.action.error, KeptInOutbox):
                self._on_recovered(event.action.value, event.action.error)
        elif isinstance(event, Verified):
            self._answers[event.part] = event.matches
            if event.matches is False:
                warnings.warn(f"{event.part.path}: the hub's hash differs; attached again", RuntimeWarning, stacklevel=2)


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())
