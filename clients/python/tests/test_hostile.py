"""Arguments, callbacks and tasks that a program gives wrongly or leaves: nothing stays open, and nothing waits for ever."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import tempfile
import threading
import unittest
import warnings
from typing import Any

import storehub
from storehub import _cbor, _messages as wire, blocking
from storehub._cbor import Map
from storehub._messages import FrameReader
from storehub.errors import ConnectionFailed, InvalidValue, KeptInOutbox, NotConnected, OutboxInUse, Refused, UnknownPart
from storehub.options import Options
from storehub.states import Ended

from .scripted import SCHEMA, SESSION, STATE, Script


class Hub:
    """A hub in a thread, with the schema of the scripted one: it answers what `answers` says and nothing else."""

    def __init__(self, *, processes: bool = True, refuses: bool = False, hash: int | None = None) -> None:
        self.directory = tempfile.mkdtemp(prefix="hub")
        self.path = os.path.join(self.directory, "hub.sock")
        self.outbox = os.path.join(self.directory, "outbox")
        self.processes, self.refuses, self.hash = processes, refuses, hash
        self.sent: list[int] = []
        self.streams: list[socket.socket] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()
        for stream in self.streams:
            stream.close()

    def accept(self) -> None:
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            self.streams.append(stream)
            threading.Thread(target=self.serve, args=(stream,), daemon=True).start()

    def serve(self, stream: socket.socket) -> None:
        reader = FrameReader(1 << 24)
        try:
            while data := stream.recv(1 << 16):
                for frame in reader.receive(data):
                    self.sent.append(frame.kind)
                    stream.sendall(self.answer(frame))
        except OSError:
            pass

    def answer(self, frame: wire.Frame) -> bytes:
        if frame.kind == wire.HELLO and self.refuses:
            return wire.frame(wire.ERROR, _cbor.encoded((15, "not you")))
        if frame.kind == wire.HELLO:
            is_resumed = 2 in dict(_cbor.decoded(frame.payload).pairs)  # type: ignore[union-attr]
            return wire.frame(wire.WELCOME, _cbor.encoded(Map([
                (0, 1), (1, SESSION), (2, is_resumed), (3, 0), (6, b"f" * 32), (7, 5), (10, True), (11, 4096)])))
        if frame.kind == wire.DESCRIBE:
            return wire.frame(wire.SCHEMA, _cbor.encoded(SCHEMA), frame.scope)
        if frame.kind == wire.PING:
            return wire.frame(wire.PONG, frame.payload)
        if frame.kind == wire.ATTACH:
            return wire.frame(wire.SNAPSHOT, _cbor.encoded((0, 0, _cbor.encoded(STATE))), frame.scope, 1, 1)
        if frame.kind == wire.VERIFY and self.hash is not None:
            return wire.frame(wire.HASH, wire.number(self.hash), frame.scope)
        if frame.kind == wire.ACTIONS and self.processes:
            reader = _cbor.Reader(frame.payload)
            last = reader.unsigned() - 1
            reader.unsigned()
            while reader.at < reader.end:
                reader.item()
                last += 1
            return wire.frame(wire.APPLIED, wire.number(last))
        return b""


def pending(hub: Hub, count: int = 2) -> None:
    """Leaves actions without an outcome in the hub's outbox."""
    hub.processes = False
    with blocking.connect(hub.path, outbox=hub.outbox) as client:
        for _ in range(count):
            client.begin("increment")
    hub.processes = True


def run(main: Any) -> Any:
    """Runs a coroutine, of which no part may wait for ever."""
    async def limited() -> Any:
        return await asyncio.wait_for(main, 60)

    return asyncio.run(limited())


class Arguments(unittest.TestCase):
    def test_options_of_wrong_types_are_refused_before_anything_is_opened(self) -> None:
        wrong: list[tuple[dict[str, Any], type[Exception]]] = [
            ({"name": 5}, TypeError), ({"name": "x" * 129}, ValueError), ({"name": "\ud800"}, ValueError), ({"sends_after_loss": "no"}, TypeError),
            ({"wait": "5"}, TypeError), ({"wait": -1}, ValueError), ({"wait": float("nan")}, ValueError), ({"on_recovered": 5}, TypeError),
            ({"on_recovered": self.coroutine}, TypeError), ({"path": 5}, TypeError), ({"path": b"hub"}, ValueError), ({"path": "a\0b"}, ValueError),
            ({"nothing": 5}, TypeError),
        ]
        for name in ("timeout", "shortest_delay", "longest_delay", "probe_interval"):
            wrong += [({name: "5"}, TypeError), ({name: 0}, ValueError), ({name: float("nan")}, ValueError), ({name: True}, TypeError)]
        for name in ("pending_actions", "pending_bytes", "payload_bytes", "state_bytes"):
            wrong += [({name: "5"}, TypeError), ({name: 1.5}, TypeError), ({name: 0}, ValueError)]
        for arguments, error in wrong:
            for connect in (storehub.connect, blocking.connect):
                with self.subTest(arguments=arguments), self.assertRaises(error):
                    connect(**arguments)
        with self.assertRaises(TypeError):
            Options(timeout=None)  # type: ignore[arg-type]

    async def coroutine(self, action: Any, error: Any) -> None:
        pass

    def test_waits_without_an_end(self) -> None:
        with Hub() as hub:
            with blocking.connect(hub.path, wait=float("inf"), timeout=float("inf"), longest_delay=float("inf")) as client:
                client.send("increment", timeout=float("inf"))

            async def main() -> None:
                async with storehub.connect(hub.path, wait=float("inf"), timeout=float("inf")) as client:
                    await client.send("increment")

            run(main())

    def test_a_revision_that_is_none_is_refused_and_leaves_no_gap(self) -> None:
        script = Script()
        script.welcome()
        for seen in (-1, 1 << 64, "1", 1.0, b""):
            with self.subTest(seen=seen), self.assertRaises(InvalidValue):
                script.core.begin("increment", seen)  # type: ignore[arg-type]
        script.core.begin("increment", (1 << 64) - 1)
        self.assertEqual([frame.revision for frame in script.collect()], [(1 << 64) - 1])

    def test_what_is_no_path_is_an_unknown_part(self) -> None:
        with Hub() as hub:
            with blocking.connect(hub.path) as client:
                for path in (None, 5, b"count", ["count"], ""):
                    with self.subTest(path=path), self.assertRaises(UnknownPart):
                        client.attach(path)  # type: ignore[call-overload]

            async def main() -> None:
                async with storehub.connect(hub.path) as client:
                    with self.assertRaises(UnknownPart):
                        await client.attach(None)  # type: ignore[call-overload]

            run(main())


class Callbacks(unittest.TestCase):
    def test_an_error_of_on_recovered_does_not_hide_other_outcomes(self) -> None:
        reports: list[Any] = []

        def report(action: Any, error: Any) -> None:
            reports.append(action)
            raise KeyError(action)

        with Hub() as hub:
            pending(hub)

            async def main() -> list[Any]:
                failures: list[Any] = []
                asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context["exception"]))
                async with storehub.connect(hub.path, outbox=hub.outbox, on_recovered=report) as client:
                    await client.send("increment")
                    self.assertEqual(client.state, storehub.Live(""))
                return failures

            self.assertEqual([type(error) for error in run(main())], [KeyError, KeyError])
            self.assertEqual(reports, ["increment", "increment"])
            self.assertEqual(hub.sent.count(wire.HELLO), 2)

    def test_without_asyncio_it_is_raised_when_the_others_are_known(self) -> None:
        def report(action: Any, error: Any) -> None:
            raise KeyError(action)

        with Hub() as hub:
            pending(hub)
            client = blocking.connect(hub.path, outbox=hub.outbox, on_recovered=report, wait=0).__enter__()
            sent = client.begin({"add": "x"})
            with self.assertRaises(KeyError):
                while True:
                    client.poll(1)
            while not sent.is_done:
                client.poll(1)
            sent.wait()
            client.close()
            with blocking.connect(hub.path, outbox=hub.outbox):
                pass

    def test_a_warning_that_is_an_error_leaves_no_check_without_an_answer(self) -> None:
        with Hub(hash=1) as hub, warnings.catch_warnings():
            warnings.simplefilter("error")

            async def main() -> None:
                asyncio.get_running_loop().set_exception_handler(lambda _, context: None)
                async with storehub.connect(hub.path) as client:
                    part = await client.attach(".")
                    self.assertIs(await part.verify(), False)
                    await client.send("increment")

            run(main())
            with blocking.connect(hub.path) as client:
                part = client.attach(".")
                with self.assertRaises(RuntimeWarning):
                    part.verify()
                client.send("increment")


class Ends(unittest.TestCase):
    def test_a_loop_that_ends_releases_the_client(self) -> None:
        with Hub(processes=False) as hub:
            kept: list[Any] = []

            async def main() -> None:
                client = storehub.connect(hub.path, outbox=hub.outbox)
                await client.__aenter__()
                kept.extend((client, await client.begin("increment"), await client.attach(".")))

            with warnings.catch_warnings():
                warnings.simplefilter("error", ResourceWarning)
                asyncio.run(main())
                gc.collect()
            client, sent, part = kept
            self.assertIsInstance(client.state, Ended)
            self.assertTrue(sent.is_done)
            hub.processes = True
            reports: list[Any] = []
            with blocking.connect(hub.path, outbox=hub.outbox, on_recovered=lambda *report: reports.append(report)) as other:
                other.send({"add": "x"})
            self.assertEqual(reports, [("increment", None)])

            async def later() -> None:
                await client.close()
                with self.assertRaises(NotConnected):
                    await client.send("increment")
                with self.assertRaises(NotConnected):
                    await client.attach(".")
                self.assertIsNone(await part.verify())

            run(later())

    def test_a_loop_that_was_closed_under_the_client(self) -> None:
        with Hub(processes=False) as hub:
            loop = asyncio.new_event_loop()
            client = storehub.connect(hub.path, outbox=hub.outbox)
            loop.run_until_complete(client.__aenter__())
            sent = loop.run_until_complete(client.begin("increment"))
            loop.run_until_complete(asyncio.sleep(0))
            loop.set_exception_handler(lambda *_: None)
            loop.close()
            with self.assertRaises(OutboxInUse):
                blocking.connect(hub.path, outbox=hub.outbox).__enter__()
            run(client.close())
            self.assertTrue(sent.is_done)
            with blocking.connect(hub.path, outbox=hub.outbox, on_recovered=lambda *_: None):
                pass
            with warnings.catch_warnings():
                # A transport and a task of the closed loop.
                warnings.simplefilter("ignore", ResourceWarning)
                client._task = client._transport = None
                del loop, sent, client
                gc.collect()

    def test_tasks_that_are_all_cancelled_leave_no_client_that_waits_for_ever(self) -> None:
        with Hub(processes=False) as hub:

            async def main() -> None:
                async with storehub.connect(hub.path) as client:
                    sent = await client.begin("increment")
                    await asyncio.sleep(0.05)
                    for task in asyncio.all_tasks():
                        if task.get_name() == "storehub":
                            task.cancel()
                    with self.assertRaises(storehub.OutcomeUnknown):
                        await sent
                    with self.assertRaises(NotConnected):
                        await client.send("increment")

            run(main())

    def test_a_cancelled_close_releases_the_outbox(self) -> None:
        with Hub(processes=False) as hub:

            async def main() -> None:
                client = storehub.connect(hub.path, outbox=hub.outbox)
                await client.__aenter__()
                sent = await client.begin("increment")
                closing = asyncio.ensure_future(client.close())
                await asyncio.sleep(0)
                closing.cancel()
                await asyncio.gather(closing, return_exceptions=True)
                with self.assertRaises(KeptInOutbox):
                    await sent
                async with storehub.connect(hub.path, outbox=hub.outbox, on_recovered=lambda *_: None) as other:
                    self.assertEqual(other._core.pending, 1)

            run(main())

    def test_a_client_is_entered_once(self) -> None:
        with Hub() as hub:

            async def main() -> None:
                client = storehub.connect(hub.path, outbox=hub.outbox)
                async with client:
                    with self.assertRaises(NotConnected):
                        await client.__aenter__()
                    await client.send("increment")
                with self.assertRaises(NotConnected):
                    await client.__aenter__()
                await client.close()
                other = storehub.connect(hub.path)
                await other.close()
                with self.assertRaises(NotConnected):
                    await other.__aenter__()

            run(main())
            client, other = (blocking.connect(hub.path, outbox=hub.outbox) for _ in range(2))
            with client:
                with self.assertRaises(NotConnected):
                    client.__enter__()
                # It may be tried again when the file is free.
                with self.assertRaises(OutboxInUse):
                    other.__enter__()
                client.send("increment")
            with self.assertRaises(NotConnected):
                client.__enter__()
            client.close()
            with other:
                other.send("increment")

    def test_a_close_while_it_connects(self) -> None:
        with tempfile.TemporaryDirectory() as directory:

            async def main() -> None:
                client = storehub.connect(os.path.join(directory, "none.sock"), wait=None, outbox=os.path.join(directory, "outbox"))
                entering = asyncio.ensure_future(client.__aenter__())
                await asyncio.sleep(0.02)
                await client.close()
                with self.assertRaises(storehub.Closed):
                    await entering
                entering = asyncio.ensure_future(storehub.connect(os.path.join(directory, "none.sock"), wait=None).__aenter__())
                await asyncio.sleep(0.02)
                entering.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await entering
                with self.assertRaises(ConnectionFailed):
                    await storehub.connect(
                        os.path.join(directory, "none.sock"), wait=0.05, outbox=os.path.join(directory, "outbox")).__aenter__()

            run(main())

    def test_a_client_that_is_refused_releases_its_outbox(self) -> None:
        with Hub(refuses=True) as hub:
            for _ in range(2):
                client = blocking.connect(hub.path, outbox=hub.outbox)
                with self.assertRaises(Refused):
                    client.__enter__()

            async def main() -> None:
                client = storehub.connect(hub.path, outbox=hub.outbox)
                with self.assertRaises(Refused):
                    await client.__aenter__()

            run(main())

    def test_iterators_that_are_left(self) -> None:
        with Hub() as hub:

            async def main() -> None:
                async with storehub.connect(hub.path) as client:
                    part = await client.attach(".")
                    values, states = part.values(), client.states()
                    await values.__anext__()
                    await states.__anext__()
                    # One that waits and is cancelled, one that is closed, and one that is forgotten.
                    waiting = asyncio.ensure_future(values.__anext__())
                    other = asyncio.ensure_future(states.__anext__())
                    await asyncio.sleep(0)
                    for task in (waiting, other):
                        task.cancel()
                    await asyncio.gather(waiting, other, return_exceptions=True)
                    await client.states().__anext__()
                    gc.collect()
                    # The loop closes a generator that was forgotten, in a task.
                    while client._state_waiters:
                        await asyncio.sleep(0)
                    async for value in part.values():
                        self.assertEqual(value["count"], 0)
                        break
                    attaching = asyncio.ensure_future(client.attach("count"))
                    await asyncio.sleep(0)
                    attaching.cancel()
                    await asyncio.gather(attaching, return_exceptions=True)
                    await asyncio.sleep(0)
                    self.assertEqual(len(client._parts), 1)

            run(main())
