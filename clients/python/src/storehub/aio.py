"""The client for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
import warnings
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

from . import _places
from ._parts import Action, Reading, Subscription
from ._events import ActionDone, Described, Event, PartChanged, StateChanged, Verified
from .core import Core
from .errors import Closed, ConnectionFailed, KeptInOutbox, NotConnected, Refused
from .hub_state import ATTENDEES, METRICS
from .outbox import Outbox, Recovered, warn_of_failure
from .options import Options, checked
from .paths import Path
from .schema import Schema
from .states import ConnectionState, Ended, Live

__all__ = ["Hub", "Part", "Sent", "Update", "connect"]

T = TypeVar("T")

WRITE_BYTES = 1 << 20
"""The bytes that may wait to be written before `send` waits."""
READ_AT_ONCE = 1 << 16
"""The bytes of a value above which it is read on another thread, so that the loop goes on."""


@dataclass(frozen=True, slots=True)
class Update(Generic[T]):
    """A part at a revision: its value, or None and `is_present` false if it is absent."""

    value: T | None
    is_present: bool
    revision: int


def connect(
    path: str | None = None, *, wait: float | None = 10.0, outbox: str | os.PathLike[str] | None = None,
    on_recovered: Recovered = warn_of_failure, **options: Any
) -> Hub:
    """A client of the hub at a socket, as an asynchronous context manager.

    `path` is the socket; without it, the one that `STOREHUB_SOCKET` names or the default place. Entering waits until the hub
    has answered, at most `wait` seconds, and raises `ConnectionFailed`; with `wait=0` it does not wait. The other arguments
    are those of `Options`.

    `outbox` is a file that keeps the session and the actions without an outcome, so that they survive the end of the process:
    the next client with this file sends again what the hub has not processed. It calls `on_recovered` with each action of an
    earlier process and its error, or None if it took effect. Entering raises `OutboxInUse` and `OutboxError`.
    """
    checked(wait, on_recovered)
    return Hub(_places.socket_path(path), wait, Options(**options), outbox, on_recovered)


class Sent(Awaitable[None]):
    """An action that was taken. Await it for its outcome; `cancel` cancels the effects that it has started."""

    def __init__(self, hub: Hub, action: Action, outcome: asyncio.Future[None]) -> None:
        self._hub, self._action, self._outcome = hub, action, outcome

    def __await__(self) -> Generator[Any, None, None]:
        return asyncio.shield(self._outcome).__await__()

    @property
    def is_done(self) -> bool:
        """True if the outcome is known."""
        return self._action.is_done

    def cancel(self) -> None:
        """Cancels the effects that the action has started on the hub and that still run. The action is not taken back."""
        self._hub._core.cancel(self._action)
        self._hub._schedule()


class Part(Generic[T]):
    """A part of the state, kept up to date by the hub."""

    def __init__(self, hub: Hub, subscription: Subscription) -> None:
        self._hub, self._subscription = hub, subscription
        self._changed = asyncio.Event()

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

    async def values(self) -> AsyncIterator[T]:
        """The value, and then each new one. Values that arrive while the caller is busy are skipped, except the last.

        An absent part yields nothing until it is present again; `updates` reports that as well. Ends when the part is detached.
        """
        async for update in self.updates():
            if update.is_present:
                yield update.value  # type: ignore[misc]

    async def updates(self) -> AsyncIterator[Update[T]]:
        """Like `values`, with revisions, and with absences."""
        seen = 0
        part = self._subscription
        while True:
            while part.version == seen:
                self._changed.clear()
                await self._changed.wait()
            seen = part.version
            if part.error is not None:
                raise part.error
            if part.is_detached:
                return
            yield Update(part.value, part.is_present, part.revision or 0)

    async def wait_until(self, condition: Callable[[T], bool]) -> T:
        """The first value, beginning with the one of now, for which the condition is true."""
        async for value in self.values():
            if condition(value):
                return value
        raise Closed("the part was detached")

    async def verify(self) -> bool | None:
        """Compares the hash of the value with the hub's.

        None if the part has no value or is not attached, or if its types differ from the hub's. False is a defect of one side: the part is then
        attached again.
        """
        return await self._hub._verify(self._subscription)

    async def detach(self) -> None:
        """Ends the subscription."""
        self._hub._core.detach(self._subscription)
        self._hub._schedule()

    def _notify(self) -> None:
        self._changed.set()


class Hub:
    """A client of a hub. It reconnects by itself, resumes its session, and sends each action exactly once.

    Not for several threads: use it in the event loop in which it was entered.
    """

    def __init__(
        self, path: str, wait: float | None, options: Options, outbox: str | os.PathLike[str] | None = None,
        on_recovered: Recovered = warn_of_failure
    ) -> None:
        self._path, self._wait = path, wait
        self._core = Core(options, reads_elsewhere_above=READ_AT_ONCE)
        self._outbox_path, self._on_recovered = outbox, on_recovered
        self._outbox: Outbox | None = None
        self._parts: dict[Subscription, Part[Any]] = {}
        self._outcomes: dict[Action, asyncio.Future[None]] = {}
        self._verifications: list[tuple[Subscription, asyncio.Future[bool | None]]] = []
        # In the order in which they began to wait, which is that of actions then.
        self._state_waiters: list[asyncio.Event] = []
        # Those that wait for room, in order, and whether the first has been told of some that it has not taken yet.
        self._senders: deque[asyncio.Future[None]] = deque()
        self._is_room_offered = False
        self._task: asyncio.Task[None] | None = None
        self._is_scheduled = False
        self._transport: asyncio.Transport | None = None
        self._is_paused = False
        self._lost: asyncio.Future[str] | None = None
        self._tick: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> Hub:
        if self._loop is not None or self._core.is_ended:
            raise NotConnected("a client is entered once: make another one")
        if self._outbox_path is not None:
            self._outbox = Outbox(self._outbox_path, self._core)
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._run(), name="storehub")
        if self._wait != 0:
            try:
                await asyncio.wait_for(self._wait_until_live(), self._wait)
            except asyncio.TimeoutError:
                state = self.state
                reason = getattr(state, "failure", None) or getattr(state, "reason", None) or "no answer"
                await self.close()
                raise ConnectionFailed(f"no hub at {self._path} within {self._wait:g} s: {reason}") from None
            except BaseException:
                await self.close()
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the session and closes the connection. Actions without an outcome raise; with an outbox they are kept in it."""
        task, self._task = self._task, None
        try:
            self._end()
            if task is not None and not task.done() and not task.get_loop().is_closed():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        finally:
            self._dispatch()

    def _end(self) -> None:
        """Ends the session, the connection and the use of the outbox."""
        try:
            self._save()
            self._core.close()
            if self._loop is not None and self._loop.is_closed():
                # It serves no transport any more.
                self._save()
                if self._transport is not None:
                    with contextlib.suppress(OSError):
                        self._transport.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
                    self._transport = None
            else:
                self._flush()
                if self._transport is not None:
                    self._transport.close()
            self._dispatch()
        finally:
            if self._tick is not None:
                self._tick.cancel()
                self._tick = None
            if self._outbox is not None:
                self._outbox.close()

    # Requests

    @property
    def state(self) -> ConnectionState:
        """The state of the connection."""
        return self._core.state

    async def states(self) -> AsyncIterator[ConnectionState]:
        """The state of the connection, and then each new one that lasts until the caller looks. Ends after `Ended`."""
        event = asyncio.Event()
        self._state_waiters.append(event)
        try:
            last: ConnectionState | None = None
            while True:
                while self.state == last:
                    event.clear()
                    await event.wait()
                last = self.state
                yield last
                if isinstance(last, Ended):
                    return
        finally:
            self._state_waiters.remove(event)

    @property
    def state_directory(self) -> str | None:
        """The hub's state directory, if it has a journal that this user may read."""
        return self._core.welcome.state_directory if self._core.welcome else None

    async def schema(self) -> Schema:
        """The schema of the feature, also while the connection is lost."""
        if self._core.schema() is None:
            await self._wait_until_live()
        schema = self._core.schema()
        assert schema
        return schema

    @overload
    async def attach(self, path: Path[T]) -> Part[T]: ...
    @overload
    async def attach(self, path: str) -> Part[Any]: ...
    async def attach(self, path: Path[Any] | str) -> Part[Any]:
        """Subscribes to a part of the state, and waits for its value or its absence.

        `path` is one of the generated paths, one made with `storehub.path`, or its text, such as `"todos.todos"`.
        Raises `UnknownPart`, `SchemaMismatch` and `Refused`.
        """
        part: Part[Any] = Part(self, self._core.attach(_places.parsed(path)))
        self._parts[part._subscription] = part
        self._schedule()
        try:
            while not part._subscription.is_known():
                part._changed.clear()
                await part._changed.wait()
        except BaseException:
            await part.detach()
            raise
        if part._subscription.error is not None:
            self._parts.pop(part._subscription, None)
            raise part._subscription.error
        return part

    async def attendees(self) -> Part[Any]:
        """The clients that are connected: `hub.attendees()` yields sequences of `Attendee` by its `values`."""
        return await self.attach(ATTENDEES)

    async def metrics(self) -> Part[Any]:
        """The hub's metrics (PROTOCOL.md, 9.3), as a dictionary."""
        return await self.attach(METRICS)

    async def begin(self, action: Any, *, seen: int | None = None) -> Sent:
        """Takes an action, and returns before it is stored. Waits while too many are pending or unwritten.

        `seen` is the revision of the part from which the user decided: the hub then rejects an action for something that was
        presented anew since (`RejectionCode.LATE`). Raises `InvalidValue`, `ActionTooLarge` and `NotConnected`.
        """
        if self._senders or self._is_room_offered or not self._has_room:
            await self._wait_for_room()
        try:
            taken = self._core.begin(action, seen)
        finally:
            self._offer_room()
        outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # An outcome that nobody awaits is no mistake.
        outcome.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._outcomes[taken] = outcome
        self._schedule()
        return Sent(self, taken, outcome)

    @property
    def _has_room(self) -> bool:
        return self._core.is_ended or (self._core.has_room and not self._is_paused)

    async def _wait_for_room(self) -> None:
        told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._senders.append(told)
        try:
            await told
        except asyncio.CancelledError:
            if told.cancelled():
                if told in self._senders:
                    self._senders.remove(told)
            else:
                # It was told, and does not take the room.
                self._is_room_offered = False
                self._offer_room()
            raise
        self._is_room_offered = False

    def _offer_room(self) -> None:
        """Tells the first that waits of room; the next one is told when it has taken its place."""
        while self._senders and not self._is_room_offered and self._has_room:
            told = self._senders.popleft()
            if not told.done():
                self._is_room_offered = True
                told.set_result(None)

    async def send(self, action: Any, *, seen: int | None = None) -> None:
        """Sends an action, and returns when the hub has applied it, and stored it if it has a journal.

        Raises `Rejected` with the hub's reason, `OutcomeUnknown` if the hub lost the session, and what `begin` raises. A task
        that is cancelled while it waits does not take the action back.
        """
        await (await self.begin(action, seen=seen))

    # The connection

    async def _run(self) -> None:
        try:
            await self._serve()
        except BaseException:
            if self._task is not None:
                # Not by `close`: the loop ends, or the program has cancelled all tasks. Nothing would be served any more.
                self._end()
            raise

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        core = self._core
        while not core.is_ended:
            delay = core.retry_at - time.monotonic()
            if delay > 0:
                await asyncio.sleep(delay)
            core.connect_now()
            self._lost = loop.create_future()
            try:
                await asyncio.wait_for(
                    loop.create_unix_connection(lambda: _Protocol(self), self._path), core.options.timeout)
            except (OSError, asyncio.TimeoutError) as error:
                reason = getattr(error, "strerror", None) or "no answer"
                core.disconnected(f"{self._path}: {reason}", time.monotonic())
            else:
                reason = await self._lost
                core.disconnected(reason, time.monotonic())
            self._dispatch()

    def _connected(self, transport: asyncio.Transport) -> None:
        if self._core.is_ended:
            # Closed while it was opened.
            transport.abort()
            return
        self._transport, self._is_paused = transport, False
        self._core.connected(time.monotonic())
        self._flush()

    def _received(self, data: bytes) -> None:
        self._core.receive(data, time.monotonic())
        self._read_elsewhere()
        self._dispatch()
        self._flush()

    def _read_elsewhere(self) -> None:
        """Reads a large value on another thread, and nothing from the socket meanwhile."""
        reading, transport = self._core.reading, self._transport
        if reading is None or transport is None or not transport.is_reading():
            return
        transport.pause_reading()
        work = asyncio.get_running_loop().run_in_executor(None, reading.run)
        work.add_done_callback(lambda _: self._has_read(reading, transport))

    def _has_read(self, reading: Reading, transport: asyncio.Transport) -> None:
        if not transport.is_closing():
            transport.resume_reading()
        self._core.finish_reading(reading, time.monotonic())
        self._read_elsewhere()
        self._dispatch()
        self._flush()

    def _closed(self, reason: str) -> None:
        self._transport = None
        self._resume()
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(reason)

    def _resume(self) -> None:
        self._is_paused = False
        self._offer_room()

    def _schedule(self) -> None:
        """Writes at the end of this turn of the loop, so that requests of one turn are one write."""
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._scheduled)

    def _scheduled(self) -> None:
        self._is_scheduled = False
        self._flush()
        self._dispatch()

    def _save(self) -> None:
        if self._outbox is not None:
            self._outbox.save()

    def _flush(self) -> None:
        self._save()
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if not self._is_paused or self._core.wants_close:
            data = self._core.take_output(time.monotonic())
            if data:
                transport.write(data)
        if self._core.wants_close:
            transport.close()
            return
        self._arm()

    def _arm(self) -> None:
        """Sets the timer for the core's deadline. One that is early sets it again, which is cheaper than each time."""
        deadline = self._core.deadline()
        if deadline is None or self._tick is not None:
            return
        loop = asyncio.get_running_loop()
        self._tick = loop.call_later(max(0.0, deadline - time.monotonic()), self._ticked)

    def _ticked(self) -> None:
        self._tick = None
        self._core.tick(time.monotonic())
        self._flush()

    # Events

    def _dispatch(self) -> None:
        events = self._core.take_events()
        if self._loop is not None and self._loop.is_closed():
            # Nobody can await anything of it.
            return
        for event in events:
            try:
                self._event(event)
            except Exception as error:  # noqa: BLE001
                # Of `on_recovered`, or a warning that is an error. The other events are somebody else's.
                self._report(error)

    def _report(self, error: Exception) -> None:
        context = {"message": "storehub: a callback of the program has failed", "exception": error}
        if self._loop is not None:
            self._loop.call_exception_handler(context)

    def _event(self, event: Event) -> None:
        if isinstance(event, ActionDone):
            self._done(event.action)
        elif isinstance(event, PartChanged):
            part = self._parts.get(event.part)
            if part is not None:
                part._notify()
            if event.part.is_detached:
                self._parts.pop(event.part, None)
                self._answer(event.part, None)
        elif isinstance(event, Verified):
            self._answer(event.part, event.matches)
            if event.matches is False:
                warnings.warn(f"{event.part.path}: the hub's hash differs; attached again", RuntimeWarning, stacklevel=2)
        elif isinstance(event, StateChanged):
            for waiter in self._state_waiters:
                waiter.set()
            if not isinstance(event.state, Live):
                for subscription, _ in list(self._verifications):
                    self._answer(subscription, None)
            if isinstance(event.state, Ended):
                self._resume()
        else:
            assert isinstance(event, Described)

    def _done(self, action: Action) -> None:
        outcome = self._outcomes.pop(action, None)
        if outcome is not None and not outcome.done():
            if action.error is None:
                outcome.set_result(None)
            else:
                outcome.set_exception(action.error)
        self._offer_room()
        if action.is_recovered and not isinstance(action.error, KeptInOutbox):
            self._on_recovered(action.value, action.error)

    async def _verify(self, part: Subscription) -> bool | None:
        if not self._core.verify(part):
            return None
        answer: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        self._verifications.append((part, answer))
        self._schedule()
        return await answer

    def _answer(self, part: Subscription, matches: bool | None) -> None:
        for one, answer in self._verifications:
            if one is part and not answer.done():
                answer.set_result(matches)
        self._verifications = [pair for pair in self._verifications if pair[0] is not part]

    async def _wait_until_live(self) -> None:
        async for state in self.states():
            if isinstance(state, Live):
                return
            if isinstance(state, Ended):
                raise Refused(state.reason) if state.is_refused else Closed(state.reason)


class _Protocol(asyncio.Protocol):
    """The socket of a connection."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.set_write_buffer_limits(high=WRITE_BYTES)
        self._hub._connected(transport)

    def data_received(self, data: bytes) -> None:
        self._hub._received(data)

    def pause_writing(self) -> None:
        self._hub._is_paused = True

    def resume_writing(self) -> None:
        self._hub._resume()
        self._hub._schedule()

    def connection_lost(self, exc: Exception | None) -> None:
        self._hub._closed(str(exc) if exc else "the hub closed the connection")
