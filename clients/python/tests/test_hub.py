"""The client with a real hub."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import threading
import time
import unittest
import unittest.mock
from typing import Any

import storehub
from storehub import _parts, blocking, path

from .hubs import CuttingProxy, HubProcess

INCREMENT = {"counter": "incrementButtonTapped"}


def add(text: str) -> Any:
    return {"todos": {"addButtonTapped": text}}


class WithHub(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.hub = HubProcess()
        cls.hub.start()
        cls.addClassCleanup(cls.hub.__exit__)


class Asynchronous(WithHub):
    async def test_an_action_is_stored_and_every_part_has_it(self) -> None:
        async with storehub.connect(self.hub.socket, name="one") as hub, storehub.connect(self.hub.socket) as other:
            text = await hub.attach("todos.todos")
            count = len(text.value)
            seen = await other.attach(path.todos.todos)
            await hub.send(add("oat milk"))
            self.assertEqual(text.value[-1]["text"], "oat milk")
            todos = await seen.wait_until(lambda value: len(value) > count)
            self.assertEqual(todos, text.value)
            self.assertEqual(todos.with_id(todos[-1]["id"]), todos[-1])
            self.assertTrue(await text.verify())
            self.assertTrue(await seen.verify())

    async def test_the_last_value_is_never_missed(self) -> None:
        async with storehub.connect(self.hub.socket) as hub:
            counter = await hub.attach("counter.count")
            start = counter.value
            for _ in range(100):
                await hub.begin(INCREMENT)
            async for value in counter.values():
                if value == start + 100:
                    break

    async def test_a_large_value_does_not_hold_the_loop(self) -> None:
        loop, read, turns = asyncio.get_running_loop(), _parts.Reading.run, []

        def run(reading: Any) -> None:
            read(reading)
            # On the loop, this would wait in vain.
            turned = threading.Event()
            loop.call_soon_threadsafe(turned.set)
            turns.append(turned.wait(120))

        with HubProcess(journal=False) as process:
            async with storehub.connect(process.socket) as hub:
                for sent in [await hub.begin(add(f"a todo of usual length {number}")) for number in range(3000)]:
                    await sent
                with unittest.mock.patch.object(_parts.Reading, "run", run):
                    todos = await hub.attach("todos.todos")
                    await hub.send(add("the last"))
                self.assertEqual(turns, [True])
                self.assertEqual(len(todos.value), 3001)
                self.assertEqual(todos.value[-1]["text"], "the last")
                self.assertTrue(await todos.verify())

    async def test_each_free_place_is_one_senders_in_order(self) -> None:
        async with storehub.connect(self.hub.socket, pending_actions=2) as hub:
            order: list[int] = []
            looks = 0
            has_room = type(hub)._has_room.fget
            assert has_room

            def look(hub: Any) -> Any:
                nonlocal looks
                looks += 1
                return has_room(hub)

            async def play(number: int) -> None:
                sent = await hub.begin(INCREMENT)
                order.append(number)
                self.assertLessEqual(hub._core.pending, 2)
                await sent

            with unittest.mock.patch.object(type(hub), "_has_room", property(look)):
                players = [asyncio.ensure_future(play(number)) for number in range(500)]
                await asyncio.sleep(0)
                for number in (100, 200, 300):
                    players[number].cancel()
                await asyncio.gather(*players, return_exceptions=True)
            self.assertEqual(order, [number for number in range(500) if number not in (100, 200, 300)])
            # Not each of those that wait, for each place.
            self.assertLess(looks, 3000)

    async def test_bytes_of_pending_actions_are_limited(self) -> None:
        async with storehub.connect(self.hub.socket, pending_bytes=10_000) as hub:
            todos = await hub.attach("todos.todos")
            before, most = len(todos.value), 0
            for number in range(100):
                await hub.begin(add("x" * 1000 + str(number)))
                most = max(most, hub._core._pending_bytes)
            await hub.send(INCREMENT)
            self.assertEqual(len(todos.value), before + 100)
            self.assertLess(most, 12_000)

    async def test_windows_elements_and_absence(self) -> None:
        async with storehub.connect(self.hub.socket) as hub:
            for text in ("a", "b", "c"):
                await hub.send(add(text))
            window = await hub.attach(path.todos.todos[-2:])
            self.assertEqual([todo["text"] for todo in window.value.elements], ["b", "c"])
            self.assertTrue(await window.verify())
            last = window.value.elements[-1]["id"]
            element = await hub.attach(f"todos.todos[{last}].text")
            updates = element.updates()
            self.assertEqual((await anext_(updates)).value, "c")
            await hub.send({"todos": {"deleteButtonTapped": last}})
            self.assertFalse((await anext_(updates)).is_present)
            with self.assertRaises(storehub.Absent):
                element.value
            self.assertIsNone(await element.verify())
            await element.detach()
            with self.assertRaises(StopAsyncIteration):
                await anext_(updates)

    async def test_the_seventeenth_view_is_refused_and_the_others_go_on(self) -> None:
        async with storehub.connect(self.hub.socket) as hub:
            await hub.send(add("milk"))
            pages = [await hub.attach(storehub.views.active[start : start + 1]) for start in range(17)]
            await hub.send(INCREMENT)
            with self.assertRaisesRegex(storehub.LimitReached, "16 views; detach one first, or raise the limit 'views'"):
                pages[16].value
            count = pages[0].value.count
            await hub.send(add("oats"))
            await pages[0].wait_until(lambda page: page.count == count + 1)
            await pages[3].detach()
            self.assertEqual((await pages[16].wait_until(lambda page: True)).count, count + 1)

    async def test_unknown_parts_and_actions_are_named(self) -> None:
        async with storehub.connect(self.hub.socket) as hub:
            with self.assertRaisesRegex(storehub.UnknownPart, "Todos.State has no field 'todoz'"):
                await hub.attach("todos.todoz")
            with self.assertRaisesRegex(storehub.InvalidValue, "has no case 'nothing'"):
                await hub.send({"todos": "nothing"})
            await hub.send(INCREMENT)

    async def test_attendees_and_metrics(self) -> None:
        async with storehub.connect(self.hub.socket, name="me") as hub:
            attendees = await hub.attendees()
            mine = [one for one in attendees.value if one["process"] == os.getpid()]
            self.assertEqual(mine[0]["name"], "me")
            async with storehub.connect(self.hub.socket, name="another"):
                await attendees.wait_until(lambda value: any(one["name"] == "another" for one in value))
            await attendees.wait_until(lambda value: not any(one["name"] == "another" for one in value))
            metrics = await hub.metrics()
            self.assertEqual(metrics.value["durability"], "sync")

    async def test_effects_of_an_action_are_cancelled(self) -> None:
        async with storehub.connect(self.hub.socket) as hub:
            timer = await hub.attach("counter.isTimerOn")
            sent = await hub.begin({"counter": "toggleTimerButtonTapped"})
            await sent
            self.assertTrue(timer.value)
            sent.cancel()
            await hub.send({"counter": "toggleTimerButtonTapped"})
            self.assertFalse(timer.value)

    async def test_an_action_beyond_the_hubs_limit_is_not_sent(self) -> None:
        async with storehub.connect(self.hub.socket) as hub:
            with self.assertRaises(storehub.ActionTooLarge):
                await hub.send(add("x" * (1 << 20)))
            await hub.send(add("x" * 1000))

    async def test_no_hub_is_an_error_that_says_so(self) -> None:
        with self.assertRaisesRegex(storehub.ConnectionFailed, "no hub at .*: .*No such file"):
            async with storehub.connect(self.hub.directory + "/none", wait=2):
                pass

    async def test_a_client_may_be_older_than_its_hub(self) -> None:
        async with storehub.connect(self.hub.directory + "/late", wait=0) as hub:
            self.assertIsInstance(hub.state, storehub.Connecting)
            sent = asyncio.ensure_future(hub.send(INCREMENT))
            await asyncio.sleep(0.1)
            os.symlink(self.hub.socket, self.hub.directory + "/late")
            await asyncio.wait_for(sent, 120)

    async def test_closing_raises_for_those_who_wait(self) -> None:
        hub = storehub.connect(self.hub.socket)
        await hub.__aenter__()
        part = await hub.attach("counter")

        async def read() -> None:
            async for _ in part.values():
                pass

        reader = asyncio.ensure_future(read())
        await asyncio.sleep(0)
        await hub.close()
        with self.assertRaises(storehub.StoreHubError):
            await asyncio.wait_for(reader, 120)
        with self.assertRaises(storehub.NotConnected):
            await hub.send(INCREMENT)

    async def test_back_pressure_limits_what_waits(self) -> None:
        async with storehub.connect(self.hub.socket, pending_actions=10) as hub:
            highest = 0
            for _ in range(200):
                await hub.begin(INCREMENT)
                highest = max(highest, hub._core.pending)
            self.assertLessEqual(highest, 10)


class Blocking(WithHub):
    def test_the_same_without_asyncio(self) -> None:
        with blocking.connect(self.hub.socket) as hub:
            counter = hub.attach("counter.count")
            before = counter.value
            hub.send(INCREMENT)
            self.assertEqual(counter.value, before + 1)
            self.assertTrue(counter.verify())
            sent = [hub.begin(INCREMENT) for _ in range(50)]
            for one in sent:
                one.wait(120)
            self.assertEqual(counter.wait_until(lambda value: value == before + 51, 120), before + 51)
            self.assertEqual(list(counter.values(timeout=0.05)), [before + 51])
            self.assertIsNotNone(hub.state_directory)
            self.assertEqual(hub.schema().fingerprint, hub._core.welcome.fingerprint)

    def test_what_a_socket_takes_in_small_pieces_is_not_copied_each_time(self) -> None:
        class Slow:
            """Takes 4,096 bytes at once."""

            sent = 0

            def send(self, data: Any) -> int:
                self.sent += min(len(data), 4096)
                return min(len(data), 4096)

        with blocking.connect(self.hub.socket) as hub:
            hub._unwritten += bytes(64 << 20)
            slow: Any = Slow()
            begin = time.process_time()
            hub._write(slow)
            self.assertEqual((slow.sent, len(hub._unwritten)), (64 << 20, 0))
            # 0.02 s; copying what is left after each piece takes a minute.
            self.assertLess(time.process_time() - begin, 5)

    def test_a_program_with_a_loop_of_its_own(self) -> None:
        with blocking.connect(self.hub.socket) as hub, blocking.connect(self.hub.socket) as other:
            counter = hub.attach("counter.count")
            before = counter.value
            other.send(INCREMENT)
            import select

            while counter.value == before:
                self.assertTrue(select.select([hub.fileno()], [], [], 120)[0])
                hub.poll()

    def test_a_timeout_is_an_error_and_the_action_is_still_sent(self) -> None:
        with HubProcess() as stopped, blocking.connect(stopped.socket) as hub:
            stopped.stop()
            try:
                sent = hub.begin(INCREMENT)
                with self.assertRaises(TimeoutError):
                    sent.wait(0.1)
            finally:
                stopped.process.send_signal(signal.SIGCONT)
            sent.wait(120)
            self.assertEqual(hub.attach("counter.count").value, 1)


    def test_a_program_may_have_many_files_open(self) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < 1200:
            self.skipTest(f"a process has at most {hard} files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with contextlib.ExitStack() as files:
            while files.enter_context(open(os.devnull)).fileno() < 1024:
                pass
            with blocking.connect(self.hub.socket) as hub:
                hub.send(INCREMENT, timeout=120)

    def test_nothing_waits_longer_than_it_may(self) -> None:
        with HubProcess() as stopped, blocking.connect(stopped.socket, pending_actions=1) as hub:
            part = hub.attach("todos.todos[99]")
            with self.assertRaises(TimeoutError):
                part.wait_until(lambda _: True, 0.05)
            stopped.stop()
            try:
                hub.begin(INCREMENT)
                with self.assertRaises(storehub.TooManyPending):
                    hub.send(INCREMENT, timeout=0.1)
                with self.assertRaises(TimeoutError):
                    hub.attach("counter", 0.1)
            finally:
                stopped.process.send_signal(signal.SIGCONT)
            hub.attach("counter.count").wait_until(lambda count: count == 1, 120)
            part.detach()
            with self.assertRaises(storehub.Closed):
                part.wait_until(lambda _: True)


class Faults(unittest.IsolatedAsyncioTestCase):
    """Cuts and kills: every action takes effect once, in order, and every part converges."""

    KILLS = int(os.environ.get("STOREHUB_KILLS", "10"))

    async def test_cuts_inside_frames(self) -> None:
        seed = int.from_bytes(os.urandom(4), "big")
        with self.subTest(seed=seed), HubProcess() as process:
            proxy = CuttingProxy(process.socket, process.directory + "/proxy", seed, 4000)
            self.addCleanup(proxy.close)
            async with storehub.connect(
                process.directory + "/proxy", shortest_delay=0.001, longest_delay=0.01, wait=120
            ) as hub:
                todos = await hub.attach("todos.todos")
                senders: list[asyncio.Future[None]] = []

                def send(count: int) -> None:
                    numbers = range(len(senders), len(senders) + count)
                    senders.extend(asyncio.ensure_future(hub.send(add(f"{number}"))) for number in numbers)

                send(400)
                for turn in range(60_000):
                    await asyncio.sleep(0.002)
                    # The hub may be paused meanwhile.
                    if len(senders) - hub._core.pending > 50:
                        proxy.is_faithful = proxy.cuts > 60
                    if proxy.cuts > 5 and (turn >= 200 or hub._core.pending == 0):
                        break
                    # A seed may leave the connections room for all of them.
                    if hub._core.pending == 0:
                        send(100)
                proxy.is_faithful = True
                await asyncio.wait_for(asyncio.gather(*senders), 240)
                value = await asyncio.wait_for(todos.wait_until(lambda value: len(value) >= len(senders)), 120)
                self.assertEqual([todo["text"] for todo in value], [str(number) for number in range(len(senders))])
                self.assertTrue(await todos.verify())
                self.assertGreater(proxy.cuts, 5)

    async def test_kills_of_the_hub_with_clients_of_both_kinds(self) -> None:
        with HubProcess() as process:
            stop = threading.Event()
            sent: dict[str, list[str]] = {"a": [], "b": [], "c": []}
            done: dict[str, list[str]] = {"a": [], "b": [], "c": []}
            failures: list[BaseException] = []
            refused: set[str] = set()

            def refuse(text: str, error: storehub.Rejected) -> None:
                """A hub that was killed twice while it handled an action takes the action for the cause."""
                if error.code is not storehub.RejectionCode.REPEATED_CRASH:
                    raise error
                refused.add(text)

            def block() -> None:
                try:
                    with blocking.connect(process.socket, longest_delay=0.05, wait=240) as hub:
                        while not stop.is_set():
                            sent["c"].append(f"c{len(sent['c'])}")
                            try:
                                hub.send(add(sent["c"][-1]), timeout=240)
                                done["c"].append(sent["c"][-1])
                            except storehub.Rejected as error:
                                refuse(sent["c"][-1], error)
                except BaseException as error:
                    failures.append(error)

            async def play(name: str) -> None:
                async with storehub.connect(process.socket, longest_delay=0.05, wait=240) as hub:
                    todos = await hub.attach("todos.todos")
                    waiting: list[tuple[str, storehub.Sent]] = []
                    while not stop.is_set() or waiting:
                        if not stop.is_set():
                            text = f"{name}{len(sent[name])}"
                            sent[name].append(text)
                            waiting.append((text, await hub.begin(add(text))))
                        while waiting and (waiting[0][1].is_done or len(waiting) > 8 or stop.is_set()):
                            text, one = waiting.pop(0)
                            try:
                                await asyncio.wait_for(one, 240)
                                done[name].append(text)
                            except storehub.Rejected as error:
                                refuse(text, error)
                        await asyncio.sleep(0.002)
                    self.assertIsNot(await todos.verify(), False)

            thread = threading.Thread(target=block)
            thread.start()
            players = [asyncio.ensure_future(play(name)) for name in "ab"]
            for _ in range(self.KILLS):
                await asyncio.sleep(0.03)
                await asyncio.to_thread(process.kill)
                await asyncio.to_thread(process.start)
            stop.set()
            await asyncio.wait_for(asyncio.gather(*players), 120)
            await asyncio.to_thread(thread.join, 120)
            self.assertEqual([repr(failure) for failure in failures], [])
            async with storehub.connect(process.socket) as hub:
                found = [todo["text"] for todo in (await hub.attach("todos.todos")).value]
            self.assertEqual(len(found), len(set(found)), "an action took effect twice")
            for name in "abc":
                known = [text for text in sent[name] if text not in refused]
                self.assertEqual([text for text in found if text[0] == name], known)
                self.assertEqual(done[name], known)
                self.assertGreater(len(done[name]), self.KILLS // 10)


async def anext_(iterator: Any) -> Any:
    """`anext` is not in Python 3.9, and mypy checks for 3.10."""
    return await asyncio.wait_for(iterator.__anext__(), 120)


if __name__ == "__main__":
    unittest.main()
