"""The client without input and output: bytes, time and requests go in; bytes, events and a deadline come out.

The shells in `aio` and `blocking` drive it. All times are seconds of one monotonic clock.

    core.connect_now()        when `core.retry_at` has come: the shell opens the socket
    core.connected(now)       the socket is open
    core.receive(data, now)   bytes have arrived
    core.disconnected(...)    the socket is closed, or could not be opened
    core.tick(now)            the deadline has come
    core.reading              a large value that the shell reads; then core.finish_reading(...)
    core.take_output(now)     the bytes to write, after any of these and after requests
    core.take_events()        what has happened
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Any

from . import _messages as wire
from ._cbor import Reader
from ._ledger import Changes, Contents, Ledger, Session, StoredAction
from ._events import ActionDone, Described, Event, PartChanged, Phase, StateChanged, Verified
from ._messages import Frame, FrameReader, Welcome
from ._parts import Action, Reading, Subscription
from ._renames import Rewriting
from ._types import CannotApply, WindowStep
from .errors import (
    ActionError,
    ActionTooLarge,
    HashMismatch,
    InvalidValue,
    KeptInOutbox,
    NotConnected,
    NotStored,
    OutcomeUnknown,
    ProtocolError,
    Rejected,
    SchemaMismatch,
    StateLost,
    StoreHubError,
    TooManyPending,
    UnknownPart,
)
from .options import Options
from .paths import Path
from .schema import Model, Schema, Types, model_of
from .states import Connecting, ConnectionState, Ended, Live, Stale

__all__ = ["Core"]


ACKNOWLEDGE_AFTER = 256
"""How many refusals the hub keeps for this client before it acknowledges them without sending an action."""
TOO_MANY_SCOPES = 12
"""The code of the refusal of a part for which there may be room later."""
PATH_BYTES = 4096
"""The longest path that a hub takes. A longer one is the end of the connection."""
UNANSWERED = 1000
"""The actions without an outcome and the refusals that the hub keeps, of which it allows 1,024."""
GOOD_CONNECTION = 1.0
"""A connection that was live for so many seconds was a good one: the next attempt is made at once."""


class Core:
    """A client's side of the protocol."""

    def __init__(
        self, options: Options | None = None, draw: random.Random | None = None, reads_elsewhere_above: int | None = None
    ) -> None:
        """A core that has done nothing yet.

        The shell reads values of more than `reads_elsewhere_above` bytes: see `reading`. With None, the core does at once.
        """
        self.options = options or Options()
        self._reads_elsewhere_above = reads_elsewhere_above
        self._reading: Reading | None = None
        self._draw = draw or random.Random()
        self.phase = Phase.DOWN
        self.state: ConnectionState = Connecting(1)
        self.retry_at = 0.0
        self.wants_close = False
        self.welcome: Welcome | None = None
        self._session: bytes | None = None
        self._history: int | None = None
        self._acknowledged = 0
        self._last = 0
        # The numbers of the refusals that the hub keeps, since no frame has acknowledged them.
        self._refused: list[int] = []
        # By the numbers of the actions, the ping after which the hub has read the request; None before it is written.
        self._cancels: dict[int, int | None] = {}
        self._sent: deque[Action] = deque()
        self._waiting: deque[Action] = deque()
        # The bytes of both.
        self._pending_bytes = 0
        self._parts: list[Subscription] = []
        self._numbers: dict[int, Subscription | None] = {}
        self._next_number = 1
        # How often parts were detached that left room for others.
        self._detachments = 0
        self._schemas: dict[int, Schema] = {}
        self._types: dict[tuple[int, Model | None], Types] = {}
        self._fingerprint: bytes | None = None
        self._knows_revisions = False
        self._reader = FrameReader(self.options.payload_bytes)
        self._output = bytearray()
        self._events: list[Event] = []
        self._attempt = 0
        self._live_since: float | None = None
        self._without_roots = False
        self._last_heard = self._awaiting_since = 0.0
        self._was_awaiting = False
        # True if a ping was sent because the hub is silent although it owes an answer.
        self._is_checking = False
        self._ping = self._pong = 0
        self._failure: str | None = None
        self._ledger: Ledger | None = None
        # The actions that are kept in the outbox although they were refused, since they have a sequence number.
        self._kept: list[StoredAction] = []
        self._kept_sequences: dict[int, int] = {}
        # What the outbox keeps of a client that is closed.
        self._closed: list[StoredAction] = []

    # Requests

    @property
    def pending(self) -> int:
        """The number of actions without an outcome."""
        return len(self._sent) + len(self._waiting)

    @property
    def has_room(self) -> bool:
        """True if another action may be taken."""
        return self.pending < self.options.pending_actions and self._pending_bytes < self.options.pending_bytes

    @property
    def reading(self) -> Reading | None:
        """A large value that has arrived. The shell calls its `run`, on any thread, and then `finish_reading`.

        Until then the core keeps what arrives, so the shell should read no more from the socket.
        """
        return self._reading

    @property
    def is_ended(self) -> bool:
        return self.phase is Phase.ENDED

    def schema(self, root: int = 0) -> Schema | None:
        """The schema of a root, once it is known."""
        return self._schemas.get(root)

    def types(self, model: Model | None = None, root: int = 0) -> Types | None:
        """The types of a root for a model, once the schema is known; raises `SchemaMismatch`."""
        schema = self._schemas.get(root)
        if schema is None:
            return None
        found = self._types.get((root, model))
        if found is None:
            found = self._types[root, model] = Types(schema, model)
        return found

    def attach(self, path: Path[Any]) -> Subscription:
        """Subscribes to a part."""
        part = Subscription(path, self.options.state_bytes)
        part.reads_elsewhere_above = self._reads_elsewhere_above
        if self.is_ended:
            part.fail(NotConnected(self._reason()))
            return part
        self._parts.append(part)
        if self.phase is Phase.OPEN:
            self._request(part, False)
        return part

    def detach(self, part: Subscription) -> None:
        """Ends a subscription."""
        if part not in self._parts:
            return
        self._parts.remove(part)
        was_attached = part.number is not None
        self._drop(part)
        part.is_detached = True
        part.version += 1
        self._events.append(PartChanged(part))
        if was_attached and self.phase is Phase.OPEN:
            self._request_those_without_room()

    def verify(self, part: Subscription) -> bool:
        """Requests the hash of a part, to which `Verified` is the answer; returns false if it is not attached now."""
        if part.number is None or self.phase is not Phase.OPEN:
            return False
        self._write(wire.VERIFY, scope=part.number)
        return True

    def describe(self, root: int) -> None:
        """Requests the schema of a root, to which `Described` is the answer."""
        if self.phase is Phase.OPEN:
            self._write(wire.DESCRIBE, scope=root, flags=wire.FORMER_NAMES)

    def begin(self, value: Any, seen: int | None = None) -> Action:
        """Takes an action; the hub's answer is `ActionDone`.

        Raises `TooManyPending`, `NotConnected`, and if the schema is known `InvalidValue` and `ActionTooLarge`.
        """
        if seen is not None and (not isinstance(seen, int) or not 0 <= seen < 1 << 64):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValue(f"seen is the revision of a part, not {seen!r}")
        if self.is_ended:
            raise NotConnected(f"not sent: {self._reason()}")
        if not self.has_room:
            raise TooManyPending(
                f"{self.pending} actions of {self._pending_bytes} bytes are pending already; try again when the hub answers")
        action = Action(value, model_of(value), seen)
        if self._schemas.get(0) is not None:
            self._encode(action)
        if self._ledger is not None:
            if not action.data:
                raise NotConnected("not taken: an outbox needs the schema of the hub, which has never answered")
            action.number = self._ledger.next_number()
        self._waiting.append(action)
        self._pending_bytes += len(action.data)
        return action

    def cancel(self, action: Action) -> None:
        """Cancels the effects that an action has started and that still run; the action itself stays.

        The request survives the loss of the connection, as long as the session does.
        """
        if action.error is not None or (action.is_done and action.sequence == 0):
            # It has started none, and another action may have its number by now.
            return
        action.cancels = True
        if action.is_sent and action.sequence <= self._last and action.session == self._session:
            self._cancels[action.sequence] = None

    def close(self, keeps_session: bool = False) -> None:
        """Ends the conversation, and the session unless it is kept. The shell writes the output and closes."""
        if self.is_ended:
            return
        if self.phase in (Phase.OPEN, Phase.DESCRIBING) and not keeps_session and not (self._ledger and self.pending):
            self._write(wire.LEAVE)
            if self._ledger is not None:
                self._session, self._acknowledged, self._last = None, 0, 0
        self._end("the client was closed", False)

    # Input

    def connect_now(self) -> None:
        """The shell opens a connection now."""
        self.phase = Phase.CONNECTING
        self._attempt += 1

    def connected(self, now: float) -> None:
        """The connection is open: the client sends its hello."""
        if self.is_ended:
            return
        self.phase = Phase.GREETING
        self.wants_close = False
        self._live_since = None
        self._reader = FrameReader(self.options.payload_bytes)
        self._output.clear()
        self._numbers, self._next_number = {}, 1
        self._ping = self._pong = 0
        self._is_checking = False
        self._last_heard = self._awaiting_since = now
        self._write(wire.HELLO, wire.hello(self.options.name, self._session, self._acknowledged_and_stored, self._history))

    def disconnected(self, reason: str, now: float) -> None:
        """The connection ended, or could not be opened."""
        if self.is_ended:
            return
        self.phase = Phase.DOWN
        self.wants_close = False
        self._output.clear()
        self._reading = None
        for part in self._parts:
            part.disconnect()
        if self._live_since is not None and now - self._live_since >= GOOD_CONNECTION:
            self._attempt = 0
        self._live_since = None
        reason = self._failure or reason
        self._failure = None
        delay = min(self.options.shortest_delay * 2 ** min(self._attempt, 16), self.options.longest_delay)
        self.retry_at = now + delay * self._draw.uniform(0.5, 1.0)
        never_live = isinstance(self.state, Connecting)
        self._set_state(Connecting(self._attempt + 1, reason) if never_live else Stale(self._attempt + 1, reason))

    def receive(self, data: bytes, now: float) -> None:
        """Bytes have arrived."""
        if self.phase not in (Phase.GREETING, Phase.DESCRIBING, Phase.OPEN) or self.wants_close:
            return
        self._last_heard, self._is_checking = now, False
        if self._reading is not None:
            self._reader.keep(data)
            return
        try:
            for frame in self._reader.receive(data):
                self._handle(frame)
                if self.wants_close or self.is_ended or self._reading is not None:
                    return
        except ProtocolError as error:
            self._break(f"the hub sent what the protocol does not allow: {error}")
        except RecursionError:
            self._break("the hub sent values that are nested too deep")

    def finish_reading(self, reading: Reading, now: float) -> None:
        """Takes a value that the shell has read, and goes on with what has arrived after it."""
        if reading is not self._reading:
            # The connection has ended meanwhile.
            return
        self._reading = None
        if reading.part.reading is reading:
            try:
                self._take(reading.part, lambda: reading.part.has_read(reading))
            except ProtocolError as error:
                self._break(f"the hub sent what the protocol does not allow: {error}")
            except RecursionError:
                self._break("the hub sent values that are nested too deep")
        self.receive(b"", now)

    def tick(self, now: float) -> None:
        """The time has come that `deadline` named."""
        if self.phase in (Phase.DOWN, Phase.CONNECTING, Phase.ENDED) or self._reading is not None:
            return
        if self._should_check and now >= self._answer_limit - self.options.timeout / 2:
            # An answer that takes long is no sign of a dead hub; a missing pong is. If the process was stopped meanwhile, the
            # answer may have arrived.
            self._is_checking = True
            self._awaiting_since = max(self._awaiting_since, now - self.options.timeout / 2)
            self._send_ping()
        elif self._is_awaiting and now >= self._answer_limit:
            self._break(f"the hub has not answered for {self.options.timeout:g} s")
        elif self._is_probing(now):
            self._send_ping()

    def deadline(self) -> float | None:
        """When `tick` is due, if nothing else happens; None for never."""
        if self.phase in (Phase.DOWN, Phase.CONNECTING, Phase.ENDED) or self.wants_close:
            return None
        if self._reading is not None:
            return None
        if self._should_check:
            return self._answer_limit - self.options.timeout / 2
        if self._is_awaiting:
            return self._answer_limit
        if self.options.probe_interval is not None:
            return self._last_heard + self.options.probe_interval
        return None

    # Output

    def take_output(self, now: float) -> bytes:
        """The bytes to write. Actions that were taken since the last call are one frame."""
        self._flush()
        if self._is_awaiting and not self._was_awaiting:
            self._awaiting_since = now
        self._was_awaiting = self._is_awaiting
        data = bytes(self._output)
        self._output.clear()
        return data

    def take_events(self) -> list[Event]:
        """What has happened since the last call."""
        events, self._events = self._events, []
        return events

    # Frames of the hub

    def _handle(self, frame: Frame) -> None:
        if frame.kind == wire.ERROR:
            self._error(*wire.read_failure(frame.payload))
        elif frame.kind == wire.GOODBYE:
            self._break(f"the hub closed the connection: {wire.read_failure(frame.payload)[1]}")
        elif frame.kind == wire.WELCOME:
            if self.phase is not Phase.GREETING:
                raise ProtocolError("a second welcome")
            self._welcomed(wire.read_welcome(frame.payload))
        elif self.phase is Phase.GREETING:
            if frame.kind in _HANDLERS:
                raise ProtocolError("a frame before the welcome")
        else:
            handler = _HANDLERS.get(frame.kind)
            if handler is not None:
                handler(self, frame)

    def _welcomed(self, welcome: Welcome) -> None:
        if welcome.version != 1:
            self._end(f"the hub speaks version {welcome.version} of the protocol, and this client version 1", True)
            return
        is_resumed = welcome.resumed and self._session is not None
        if is_resumed:
            self._check_restored(welcome.processed)
            if self._ledger is not None and welcome.processed < self._acknowledged:
                # The hub has lost outcomes that were reported here, and could not know: the hello names only those in the outbox.
                self._write(wire.LEAVE)
                self._session = None
                self._give_up_sent()
                self._break("the hub came back without outcomes that it had given")
                return
            if not self._acknowledged <= welcome.processed <= self._last:
                raise ProtocolError(f"{welcome.processed} actions are processed, of {self._last} that were sent")
            self._resend(welcome.processed)
        else:
            self._give_up_sent()
        self._knows_revisions = is_resumed and welcome.history == self._history and welcome.history is not None
        has_lost = self._history is not None and welcome.history != self._history
        if has_lost and not self.options.sends_after_loss:
            while self._waiting:
                self._finish(self._waiting.popleft(), StateLost(
                    "not sent: the hub came back without its last state; see what it has now, and repeat it if needed"))
        self.welcome, self._session, self._history = welcome, welcome.session, welcome.history
        # The hub repeats those that it keeps.
        self._refused.clear()
        # A hub of another release may have other roots of its own.
        for root in (1, 2, 3):
            self._forget_schema(root)
        if self._schemas.get(0) is not None and self._fingerprint == welcome.fingerprint is not None:
            self._open()
        else:
            self.phase = Phase.DESCRIBING
            self._write(wire.DESCRIBE, flags=wire.FORMER_NAMES)

    def _resend(self, processed: int) -> None:
        """The hub has not processed the actions after this number: they are sent again, under the same numbers.

        Cancellations that it may not have read follow them.
        """
        self._cancels = dict.fromkeys((number for number in self._cancels if number <= processed), None)
        self._last = processed
        while self._sent and self._sent[-1].sequence > processed:
            self._waiting.appendleft(self._sent.pop())

    def _give_up_sent(self) -> None:
        """The hub does not know the session: what became of its actions is unknown."""
        lost, self._sent = self._sent, deque()
        for action in lost:
            self._finish(action, OutcomeUnknown("the hub lost the session before it answered: "
                                                "the action may or may not have taken effect"))
        self._acknowledged = self._last = 0
        self._cancels.clear()
        for kept in self._kept:
            self._remove_stored(kept.number)
        self._kept.clear()

    def _open(self) -> None:
        self.phase = Phase.OPEN
        self._live_since = self._last_heard
        assert self.welcome
        self._give_up_unreadable()
        self._give_up_large()
        for part in list(self._parts):
            self._request(part, self._knows_revisions)
        if self._knows_revisions and self._parts:
            # For a part that has not changed, the hub sends nothing.
            self._send_ping()
        self._set_state(Live(self.welcome.hub))

    def _schema(self, frame: Frame) -> None:
        root = frame.scope
        if self.phase is not Phase.DESCRIBING and root in self._schemas:
            return
        schema, old = Schema(frame.payload), self._schemas.get(root)
        if old is None or old.fingerprint != schema.fingerprint:
            # First, because it fails if types cannot be made for the schema, which must not be known then.
            rewriting = Rewriting(old, schema) if root == 0 and old else None
            self._forget_schema(root)
            self._schemas[root] = schema
            if root == 0:
                self._write_again(rewriting)
        self._events.append(Described(root))
        if root == 0 and self.phase is Phase.DESCRIBING:
            self._fingerprint = schema.fingerprint
            self._open()
        elif self.phase is Phase.OPEN:
            for part in list(self._parts):
                if part.root == root and part.number is None:
                    self._request(part, False)

    def _write_again(self, rewriting: Rewriting | None) -> None:
        """Writes the actions for another schema: also those that the hub has processed, since it may lose them again."""
        for action in (*self._sent, *self._waiting):
            self._pending_bytes -= len(action.data)
            try:
                if rewriting is None:
                    self._encode(action)
                else:
                    action.value, action.data = rewriting.rewritten(action.data)
            except StoreHubError as error:
                action.data, action.unreadable = b"", error
            except RecursionError:
                action.data, action.unreadable = b"", InvalidValue("the values are nested too deep")
            self._pending_bytes += len(action.data)

    def _forget_schema(self, root: int) -> None:
        self._schemas.pop(root, None)
        for key in [key for key in self._types if key[0] == root]:
            del self._types[key]

    def _part_frame(self, frame: Frame) -> None:
        part = self._numbers.get(frame.scope)
        if part is None:
            if frame.scope not in self._numbers:
                raise ProtocolError(f"a frame for the scope {frame.scope}, which is not attached")
            return
        self._take(part, lambda: _PART_HANDLERS[frame.kind](part, frame), frame.kind == wire.ABSENT)
        self._reading = part.reading

    def _take(self, part: Subscription, receive: Callable[[], bool], is_absence: bool = False) -> None:
        """Lets a part take a value or a change."""
        try:
            is_new = receive()
        except CannotApply:
            self._attach_again(part)
            return
        except SchemaMismatch as error:
            self._fail(part, error)
            return
        except ProtocolError:
            part.revision = None
            raise
        if part.is_too_large:
            self._fail(part, StoreHubError(f"{part.path}: a value of more than {self.options.state_bytes} bytes"))
        elif is_new:
            self._events.append(PartChanged(part))
            if is_absence:
                self._events.append(Verified(part, None))

    def _hash(self, frame: Frame) -> None:
        part = self._numbers.get(frame.scope)
        expected = wire.read_number(frame.payload)
        if part is None or not part.is_present or part.type is None:
            return
        if part.root != 0 or not part.type.is_exact:
            self._events.append(Verified(part, None))
            return
        matches = part.type.hash(part.value) == expected
        self._events.append(Verified(part, matches))
        if not matches:
            self._failure = str(HashMismatch(f"{part.path}: the hub's hash differs"))
            self._attach_again(part)

    def _detached(self, frame: Frame) -> None:
        if frame.scope not in self._numbers:
            return
        part = self._numbers.pop(frame.scope)
        if part is not None:
            # To a *verify* that it read afterwards, the hub does not answer.
            self._events.append(Verified(part, None))
            # The hub has not attached it; an *absent* has said why.
            if frame.payload and wire.read_number(frame.payload) != TOO_MANY_SCOPES:
                # There will never be room for it, as for a view's parameter that the hub does not take.
                part.disconnect()
                self._fail(part, UnknownPart(f"{part.path}: {part.refusal or 'this hub has not attached the part'}"))
                return
            part.refuse()
            self._events.append(PartChanged(part))
            if part.detachments < self._detachments:
                self._request_again(part)

    def _applied(self, frame: Frame) -> None:
        number = wire.read_number(frame.payload)
        if not self._acknowledged <= number <= self._last:
            raise ProtocolError(f"the actions up to {number} are processed, of {self._last} that were sent")
        self._acknowledged = number
        self._settle(number)
        while self._sent and self._sent[0].sequence <= number:
            self._finish(self._sent.popleft(), None)

    def _rejected(self, frame: Frame) -> None:
        sequence, code, reason = wire.read_rejected(frame.payload)
        if not self._acknowledged < sequence <= self._last:
            raise ProtocolError(f"action {sequence} was rejected, and was not pending")
        self._refused.append(sequence)
        for action in self._sent:
            if action.sequence == sequence:
                self._sent.remove(action)
                self._keep_refused(action)
                self._finish(action, Rejected(code, reason))
                return

    def _ponged(self, frame: Frame) -> None:
        self._pong = wire.read_number(frame.payload)
        self._cancels = {number: ping for number, ping in self._cancels.items() if ping is None or ping > self._pong}

    def _error(self, code: int, reason: str) -> None:
        text = f"the hub closed the connection: {reason}"
        if code == 1:
            self._end(f"the hub refused the client: {reason}", True)
        elif code == 15 and any(part.root for part in self._parts) and self.phase is not Phase.GREETING:
            # Once more, without what may need a right of its own.
            for part in [part for part in self._parts if part.root]:
                self._fail(part, UnknownPart(f"{part.path}: {reason}"))
            self._break(text)
        elif code == 15:
            self._end(f"the hub refused the client: {reason}", True)
        elif code in (6, 12) and any(part.is_awaited for part in self._parts):
            # The one that was attached last.
            part = [part for part in self._parts if part.is_awaited][-1]
            self._fail(part, UnknownPart(f"{part.path}: {reason}"))
            self._break(text)
        else:
            if code == 10 or (code == 5 and self.phase is Phase.GREETING):
                # The session continues elsewhere; or the hub has lost actions that it had acknowledged.
                self._session = None
                self._give_up_sent()
            elif code in (2, 3):
                self._suspect(reason)
            self._break(text)

    def _suspect(self, reason: str) -> None:
        """The hub could not read what was sent. An action with which this happens twice is not sent again."""
        for action in self._sent:
            action.strikes += 1
        # The first one that the hub did not process.
        if self._sent and self._sent[0].strikes > 1:
            self._finish(self._sent.popleft(), ActionError(f"the hub could not read the action: {reason}"))

    # Parts

    def _request(self, part: Subscription, knows_revision: bool) -> None:
        assert self.welcome
        try:
            types = self.types(part.model, part.root)
            if types is None:
                if part.root in (1, 2) and not self.welcome.serves_hub_state:
                    raise UnknownPart("the hub does not permit this user its own state")
                if part.root == 3 and self.welcome.views is None:
                    raise UnknownPart("the feature of this hub declares no views, or the hub is of an earlier version")
                self._write(wire.DESCRIBE, scope=part.root, flags=wire.FORMER_NAMES)
                return
            part.resolve(types)
            if part.path._steps and isinstance(part.path._steps[-1], WindowStep) and not self.welcome.window_elements:
                raise UnknownPart("this hub serves no windows")
            if (length := len(wire.path(part.steps))) > PATH_BYTES:
                raise UnknownPart(f"the path has {length} bytes; hubs take {PATH_BYTES}")
        except (InvalidValue, SchemaMismatch, UnknownPart) as error:
            self._fail(part, error)
            return
        number = self._free_number()
        if number is None:
            self._fail(part, UnknownPart("too many parts are attached"))
            return
        self._numbers[number] = part
        part.number, part.detachments = number, self._detachments
        revision = part.revision if knows_revision else None
        part.is_awaited = revision is None
        self._write(wire.ATTACH, wire.attach(part.steps, revision, part.root), scope=number)

    def _request_those_without_room(self) -> None:
        """Requests all parts that wait for room after one was detached, the oldest first.

        Which of them has room is known to the hub alone, whose limits are of numbers and of sizes, of the client and of its
        user.

        Each is requested at most once for each detached part. One whose request is on its way is requested again when the
        hub has refused it, since it may have done so before it read of the detached part (`_detached`).
        """
        self._detachments += 1
        for part in list(self._parts):
            if part.awaits_room:
                self._request_again(part)

    def _request_again(self, part: Subscription) -> None:
        part.awaits_room = False
        self._request(part, False)

    def _free_number(self) -> int | None:
        if len(self._numbers) >= 0xFFFF:
            return None
        while self._next_number in self._numbers or self._next_number > 0xFFFF:
            self._next_number = 1 if self._next_number >= 0xFFFF else self._next_number + 1
        number = self._next_number
        self._next_number += 1
        return number

    def _drop(self, part: Subscription) -> None:
        """Detaches a part on the wire."""
        if part.number is not None and self.phase is Phase.OPEN and not self.wants_close:
            self._numbers[part.number] = None
            self._write(wire.DETACH, scope=part.number)
        part.disconnect()

    def _attach_again(self, part: Subscription) -> None:
        self._drop(part)
        part.revision = None
        self._request(part, False)

    def _fail(self, part: Subscription, error: StoreHubError) -> None:
        self._drop(part)
        self._parts.remove(part)
        part.fail(error)
        self._events.append(PartChanged(part))

    # Actions

    def _encode(self, action: Action) -> None:
        types = self.types(action.model)
        assert types
        action.data = types.action.encoded(action.value)
        if len(action.data) > self._action_bytes:
            raise self._too_large(action)

    @property
    def _action_bytes(self) -> int:
        """The largest action that the hub takes."""
        return (self.welcome.payload_bytes if self.welcome else 1 << 20) - 18

    def _too_large(self, action: Action) -> ActionTooLarge:
        return ActionTooLarge(f"the action has {len(action.data)} bytes and the hub takes at most {self._action_bytes}")

    def _give_up_unreadable(self) -> None:
        """An action that no version could convert has no bytes to send."""
        for action in [action for action in self._waiting if not action.data]:
            self._waiting.remove(action)
            self._finish(action, action.unreadable or InvalidValue(
                "an earlier program could not convert the action to its own version of the feature"))

    def _give_up_large(self) -> None:
        """This hub may take less than the last one."""
        for action in [action for action in self._waiting if len(action.data) > self._action_bytes]:
            self._waiting.remove(action)
            self._finish(action, self._too_large(action))

    def _flush(self) -> None:
        if self.phase is not Phase.OPEN or self.wants_close or not self._is_stored():
            return
        assert self.welcome
        takes_cancel = self.welcome.takes_cancel
        if len(self._refused) >= ACKNOWLEDGE_AFTER and self._refused[0] <= self._acknowledged:
            self._write_actions([])
        while self._waiting and (room := UNANSWERED - len(self._sent) - len(self._refused)) > 0:
            first, size = self._waiting[0], 18
            batch: list[Action] = []
            while self._waiting and self._waiting[0].seen == first.seen and len(batch) < room:
                action = self._waiting[0]
                if batch and size + len(action.data) > self.welcome.payload_bytes:
                    break
                self._waiting.popleft()
                self._last += 1
                action.sequence, action.session, action.is_sent = self._last, self._session, True
                size += len(action.data)
                batch.append(action)
                self._sent.append(action)
            self._write_actions(batch)
            self._cancels.update((action.sequence, None) for action in batch if action.cancels)
        if takes_cancel:
            self._flush_cancels()

    def _write_actions(self, batch: list[Action]) -> None:
        """Writes actions that were decided on at one revision. Without any, the frame only acknowledges."""
        assert self.welcome
        flags, revision = CANCELLABLE if self.welcome.takes_cancel else 0, 0
        if batch and batch[0].seen is not None:
            flags, revision = flags | wire.WITH_REVISION, batch[0].seen
        first = batch[0].sequence if batch else self._last + 1
        payload = wire.actions(first, self._acknowledged, [action.data for action in batch])
        self._write(wire.ACTIONS, payload, flags=flags, revision=revision)
        self._refused = [number for number in self._refused if number > self._acknowledged]

    def _flush_cancels(self) -> None:
        """Writes cancellations, and a ping whose answer shows that the hub has read them."""
        unwritten = [number for number, ping in self._cancels.items() if ping is None]
        for number in unwritten:
            self._write(wire.CANCEL, wire.number(number))
        if unwritten:
            self._send_ping()
            self._cancels.update(dict.fromkeys(unwritten, self._ping))

    def _finish(self, action: Action, error: StoreHubError | None, byte_count: int | None = None) -> None:
        """Records the outcome of an action, of which so many bytes are counted."""
        self._pending_bytes -= len(action.data) if byte_count is None else byte_count
        if action.number and not isinstance(error, (Rejected, KeptInOutbox)):
            self._remove_stored(action.number)
        action.finish(error)
        self._events.append(ActionDone(action))

    # The outbox

    def restore(self, contents: Contents) -> None:
        """Gives the core an outbox, with what an earlier process has stored; once, before it connects. Raises `ProtocolError`.

        `ActionDone` reports the outcomes of the restored actions as well. The shell stores `outbox_changes` before it takes
        output.
        """
        self._ledger = Ledger(contents)
        session = contents.session
        self._session, self._history, self._acknowledged = session.session, session.history, session.acknowledged
        if contents.schema is not None:
            try:
                self._schemas[0] = schema = Schema(contents.schema)
            except (ProtocolError, RecursionError) as error:
                raise ProtocolError(f"the schema cannot be read: {error}") from error
            self._fingerprint = schema.fingerprint
        self._last = self._acknowledged
        for stored in contents.actions:
            is_sent = stored.number <= session.last_sent
            self._last += is_sent
            if stored.is_refused:
                self._kept.append(stored)
                self._kept_sequences[stored.number] = self._last
                continue
            try:
                action = Action(self._value(stored.data), None, stored.seen)
            except (ProtocolError, RecursionError) as error:
                raise ProtocolError(f"action {stored.number} cannot be read: {error}") from error
            action.number, action.data, action.is_recovered = stored.number, stored.data, True
            if is_sent:
                action.sequence, action.session, action.is_sent = self._last, self._session, True
            (self._sent if is_sent else self._waiting).append(action)
            self._pending_bytes += len(action.data)

    def _value(self, data: bytes) -> Any:
        """An action of the stored schema as a value, which another schema may encode."""
        types = self.types()
        if types is None or not data:
            return None
        reader = Reader(data)
        value = types.action.read(reader)
        reader.finish()
        return value

    def outbox_changes(self) -> Changes | None:
        """What the outbox is to store now, before output is taken; `outbox_stored` or `outbox_failed` is the answer."""
        if self._ledger is None:
            return None
        schema = self._schemas.get(0)
        return self._ledger.changes(self._outbox_session(), schema.data if schema else None, self._stored_actions())

    def outbox_stored(self, changes: Changes) -> None:
        """The changes are stored: their actions can be sent."""
        if self._ledger is not None:
            self._ledger.store(changes)

    def outbox_failed(self, reason: str) -> None:
        """The changes could not be stored: actions that are not stored fail, and are not sent."""
        assert self._ledger
        for action in [one for one in self._waiting if one.number > self._ledger.last_stored]:
            self._waiting.remove(action)
            self._finish(action, NotStored(f"not sent, because the outbox could not store the action: {reason}"))

    def _stored_actions(self) -> list[StoredAction]:
        """What the outbox is to have, in order."""
        return self._closed if self.is_ended else self._unended_actions()

    def _unended_actions(self) -> list[StoredAction]:
        actions = [StoredAction(one.number, one.data, one.seen) for one in (*self._sent, *self._waiting)]
        return sorted([*actions, *self._kept], key=lambda one: one.number)

    def _outbox_session(self) -> Session:
        """The session as it is to be stored: the actions that the next frames have may be sent."""
        last_sent = max([0, *(one.number for one in self._sent), *(one.number for one in self._kept)])
        if self.phase is Phase.OPEN and not self.wants_close and self._waiting:
            room = UNANSWERED - len(self._sent) - len(self._refused)
            if room > 0:
                last_sent = max(last_sent, self._waiting[min(room, len(self._waiting)) - 1].number)
        if self.is_ended and self._closed and self._ledger is not None:
            last_sent = self._ledger.stored.last_sent
        return Session(self._session, self._history, self._acknowledged, last_sent)

    def _is_stored(self) -> bool:
        """True if the outbox has what the next frames send and acknowledge, or if there is none."""
        if self._ledger is None:
            return True
        # Later actions have the numbers of those that were removed.
        return not self._ledger.removed and self._ledger.stored == self._outbox_session() and (
            not self._waiting or self._ledger.last_stored >= self._waiting[-1].number)

    @property
    def _acknowledged_and_stored(self) -> int:
        """The number up to which the hub may forget outcomes."""
        if self._ledger is None or self._ledger.stored.session != self._session:
            return self._acknowledged
        return min(self._acknowledged, self._ledger.stored.acknowledged)

    def _remove_stored(self, number: int) -> None:
        if self._ledger is not None:
            self._ledger.removed.append(number)

    def _keep_refused(self, action: Action) -> None:
        if self._ledger is not None:
            self._ledger.refused.append(action.number)
            self._kept.append(StoredAction(action.number, action.data, action.seen, True))
            self._kept.sort(key=lambda one: one.number)
            self._kept_sequences[action.number] = action.sequence

    def _settle(self, sequence: int) -> None:
        """The hub has acknowledged the actions up to a sequence number, and with them the refused ones."""
        for kept in [one for one in self._kept if self._kept_sequences.get(one.number, 0) <= sequence]:
            self._kept.remove(kept)
            self._kept_sequences.pop(kept.number, None)
            self._remove_stored(kept.number)

    def _check_restored(self, processed: int) -> None:
        """If the hub has processed more than was stored, a loss of power has taken the last changes of the outbox: its actions
        may have been sent under any numbers."""
        if self._ledger is None or self._ledger.last_restored is None:
            return
        last, self._ledger.last_restored = self._ledger.last_restored, None
        if processed <= self._last:
            return
        for queue in (self._sent, self._waiting):
            while queue and queue[0].number <= last:
                self._finish(queue.popleft(), OutcomeUnknown(
                    "a loss of power has taken the last changes of the outbox: the action may or may not have taken effect"))
        self._acknowledged = self._last = processed
        self._settle(processed)

    # The connection

    @property
    def _answer_limit(self) -> float:
        """When the connection counts as lost, if the hub remains silent."""
        return max(self._last_heard, self._awaiting_since) + self.options.timeout

    @property
    def _is_awaiting(self) -> bool:
        """True if the hub has to answer."""
        if self.phase in (Phase.GREETING, Phase.DESCRIBING):
            return True
        is_refused = bool(self._refused) and self._refused[-1] > self._acknowledged
        return bool(self._sent) or is_refused or self._ping != self._pong or any(part.is_awaited for part in self._parts)

    @property
    def _should_check(self) -> bool:
        """True if a ping is due before the connection counts as lost."""
        return self.phase is Phase.OPEN and self._is_awaiting and not self._is_checking and self._ping == self._pong

    def _is_probing(self, now: float) -> bool:
        interval = self.options.probe_interval
        return self.phase is Phase.OPEN and interval is not None and now >= self._last_heard + interval

    def _send_ping(self) -> None:
        self._ping += 1
        self._write(wire.PING, wire.number(self._ping))

    def _write(self, kind: int, payload: bytes = b"", scope: int = 0, flags: int = 0, revision: int = 0) -> None:
        self._output += wire.frame(kind, payload, scope, flags, revision)

    def _break(self, reason: str) -> None:
        """The shell closes the connection, and reports that it is closed."""
        self._failure = reason
        self.wants_close = True

    def _end(self, reason: str, is_refused: bool) -> None:
        self.phase = Phase.ENDED
        self.wants_close = True
        self._set_state(Ended(reason, is_refused))
        if self._ledger is not None:
            self._closed = self._unended_actions()
            while pending := self._sent or self._waiting:
                self._finish(pending.popleft(), KeptInOutbox(f"{reason} before the hub answered: the outbox keeps the action"))
        for action in self._sent:
            self._finish(action, OutcomeUnknown(f"{reason} before the hub answered: the action may have taken effect"))
        for action in self._waiting:
            self._finish(action, NotConnected(f"not sent: {reason}"))
        self._sent.clear()
        self._waiting.clear()
        for part in self._parts:
            part.fail(NotConnected(reason))
            self._events.append(PartChanged(part))
        self._parts.clear()

    def _reason(self) -> str:
        return self.state.reason if isinstance(self.state, Ended) else "the client was closed"

    def _set_state(self, state: ConnectionState) -> None:
        if state != self.state:
            self.state = state
            self._events.append(StateChanged(state))


CANCELLABLE = wire.CANCELLABLE

_PART_HANDLERS: dict[int, Callable[[Subscription, Frame], bool]] = {
    wire.SNAPSHOT: Subscription.snapshot,
    wire.DELTA: Subscription.delta,
    wire.BOOKMARK: Subscription.bookmark,
    wire.ABSENT: Subscription.absent,
}

_HANDLERS: dict[int, Callable[[Core, Frame], None]] = {
    wire.SNAPSHOT: Core._part_frame,
    wire.DELTA: Core._part_frame,
    wire.BOOKMARK: Core._part_frame,
    wire.ABSENT: Core._part_frame,
    wire.APPLIED: Core._applied,
    wire.REJECTED: Core._rejected,
    wire.PONG: Core._ponged,
    wire.DETACHED: Core._detached,
    wire.HASH: Core._hash,
    wire.SCHEMA: Core._schema,
}
