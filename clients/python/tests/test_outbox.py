"""The outbox: what is stored before it is sent, what the next process does with it, and kills of real processes."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any

import storehub
from storehub import _messages as wire, blocking
from storehub._ledger import Changes, Contents
from storehub.errors import KeptInOutbox, NotStored, OutboxError, OutboxInUse, OutcomeUnknown, TooManyPending

from .hubs import HubProcess
from .scripted import Script, numbers


class Process(Script):
    """A core with an outbox in memory."""

    def __init__(self, contents: Contents = Contents(), **options: Any) -> None:
        self.contents, self.on_disk, self.is_full, self.restored = contents, contents, False, False
        super().__init__(**options)

    def collect(self) -> list[Any]:
        if not self.restored:
            self.restored = True
            self.core.restore(self.contents)
        changes = self.core.outbox_changes()
        if changes is not None and self.is_full:
            self.core.outbox_failed("full")
        elif changes is not None:
            self.store(changes)
            self.core.outbox_stored(changes)
        return super().collect()

    def store(self, changes: Changes) -> None:
        actions = [] if changes.schema else list(self.contents.actions)
        actions = [one for one in actions if one.number > changes.settled and one.number not in changes.removed]
        actions += changes.added
        actions = [one if one.number not in changes.refused else type(one)(one.number, one.data, one.seen, True) for one in actions]
        self.contents = Contents(changes.schema or self.contents.schema, changes.session, tuple(actions))
        if changes.must_reach_disk:
            self.on_disk = self.contents

    def numbers(self) -> list[int]:
        return [one.number for one in self.contents.actions]


def live(contents: Contents = Contents(), **options: Any) -> Process:
    script = Process(contents, **options)
    script.welcome()
    return script


class Cores(unittest.TestCase):
    def test_an_action_is_stored_as_sent_before_it_is_sent(self) -> None:
        script = live()
        script.core.begin("increment")
        self.assertEqual(numbers(script.collect()), [(1, 0, 1)])
        self.assertEqual(script.numbers(), [1])
        self.assertEqual(script.contents.session.last_sent, 1)
        script.applied(1)
        self.assertEqual(script.numbers(), [])
        self.assertEqual(script.contents.session.acknowledged, 1)
        # An outcome does not wait for the disk.
        self.assertEqual(script.on_disk.session.acknowledged, 0)

    def test_the_next_process_sends_what_was_not_processed(self) -> None:
        script = live()
        for text in ("a", "b", "c"):
            script.core.begin({"add": text})
        script.collect()
        script.say(wire.REJECTED, (1, 6, "no"))
        self.assertEqual([one.is_refused for one in script.contents.actions], [True, False, False])
        # Otherwise an earlier file would take it for applied once the hub has forgotten it.
        self.assertEqual(script.on_disk, script.contents)
        following = Process(script.contents)
        self.assertEqual(numbers(following.welcome(resumed=True, processed=2)), [(3, 0, 1)])
        following.core.begin("increment")
        self.assertEqual(numbers(following.collect()), [(4, 0, 1)])
        following.say(wire.REJECTED, (1, 6, "no"))
        following.applied(4)
        self.assertEqual(following.outcomes(), [(2, None), (3, None), (4, None)])
        self.assertEqual(following.numbers(), [])

    def test_numbers_continue_after_an_empty_outbox(self) -> None:
        script = live()
        script.core.begin("increment")
        script.collect()
        script.applied(1)
        following = Process(script.contents)
        following.welcome(resumed=True, processed=1)
        following.core.begin("increment")
        self.assertEqual(numbers(following.collect()), [(2, 1, 1)])
        self.assertEqual(len(following.numbers()), 1)

    def test_a_forgotten_session_gives_unknown_outcomes(self) -> None:
        script = live()
        script.core.begin("increment")
        script.collect()
        script.core.disconnected("cut", 0)
        script.core.begin({"add": "later"})
        script.collect()
        following = Process(script.contents)
        self.assertEqual(numbers(following.welcome()), [(1, 0, 1)])
        ((_, error),) = following.outcomes()
        self.assertIsInstance(error, OutcomeUnknown)
        self.assertEqual(following.numbers(), [2])

    def test_a_session_is_left_that_has_lost_outcomes_of_a_full_outbox(self) -> None:
        script = Process()
        script.welcome(history=1)
        for _ in range(2):
            script.core.begin("increment")
        script.collect()
        script.is_full = True
        script.applied(2)
        script.core.disconnected("the hub has crashed", 0)
        script.connect()
        script.welcome(resumed=True, processed=1, history=2)
        self.assertEqual(script.sent[-1].kind, wire.LEAVE)
        self.assertTrue(script.core.wants_close)
        script.is_full = False
        script.core.disconnected("left", 0)
        script.core.begin("increment")
        script.connect()
        self.assertEqual(script.sent[-1].payload, wire.hello("python", None, 0, 1))
        self.assertEqual(numbers(script.welcome(history=2)), [(1, 0, 1)])

    def test_a_file_that_is_older_than_the_session_gives_unknown_outcomes(self) -> None:
        script = live()
        script.core.begin("increment")
        script.collect()
        old = script.contents
        for _ in range(3):
            script.core.begin("increment")
        script.collect()
        following = Process(old)
        following.core.begin({"add": "new"})
        self.assertEqual(numbers(following.welcome(resumed=True, processed=4)), [(5, 4, 1)])
        ((_, error),) = following.outcomes()
        self.assertIsInstance(error, OutcomeUnknown)

    def test_what_cannot_be_stored_is_not_sent(self) -> None:
        script = live()
        script.is_full = True
        script.core.begin("increment")
        self.assertEqual(numbers(script.collect()), [])
        ((_, error),) = script.outcomes()
        self.assertIsInstance(error, NotStored)
        script.is_full = False
        script.core.begin("increment")
        self.assertEqual(numbers(script.collect()), [(1, 0, 1)])

    def test_an_action_is_forgotten_before_a_later_one_is_sent_under_its_number(self) -> None:
        script = live()
        script.core.begin({"add": "x" * 100})
        script.core.begin("increment")
        script.collect()
        following = Process(script.contents)
        following.is_full = True
        # The first one is too large for this hub.
        self.assertEqual(numbers(following.welcome(resumed=True, processed=0, k4=64)), [])
        following.is_full = False
        self.assertEqual(numbers(following.collect()), [(1, 0, 1)])
        self.assertEqual([one.number for one in following.on_disk.actions], [2])
        last = Process(following.on_disk)
        self.assertEqual(numbers(last.welcome(resumed=True, processed=1)), [])

    def test_a_closed_client_keeps_what_is_pending(self) -> None:
        script = live()
        script.core.begin({"add": "kept"})
        script.collect()
        script.core.close()
        frames = script.collect()
        self.assertNotIn(wire.LEAVE, [frame.kind for frame in frames])
        ((_, error),) = script.outcomes()
        self.assertIsInstance(error, KeptInOutbox)
        self.assertEqual(script.numbers(), [1])
        following = Process(script.contents)
        following.welcome(resumed=True, processed=1)
        following.applied(1)
        following.core.close()
        self.assertIn(wire.LEAVE, [frame.kind for frame in following.collect()])
        self.assertIsNone(following.contents.session.session)

    def test_it_is_bounded_like_what_is_pending(self) -> None:
        script = live(pending_bytes=100)
        script.core.begin({"add": "x" * 100})
        script.collect()
        following = Process(script.contents, pending_bytes=100)
        with self.assertRaises(TooManyPending):
            following.core.begin("increment")


SENDER = """
import sys
from storehub import blocking

def note(text):
    # One write, so that no kill divides the line: print() makes two if PYTHONUNBUFFERED is set.
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

def report(action, error):
    assert error is None, error
    note(action["todos"]["addButtonTapped"])

with blocking.connect(sys.argv[1], outbox=sys.argv[2], on_recovered=report, shortest_delay=0.005, wait=120) as hub:
    sent = []
    for number in range(int(sys.argv[4])):
        text = f"{sys.argv[3]}-{number}"
        sent.append((text, hub.begin({"todos": {"addButtonTapped": text}})))
        if len(sent) == 20 or number + 1 == int(sys.argv[4]):
            for text, one in sent:
                one.wait(120)
                note(text)
            sent = []
"""


class Processes(unittest.TestCase):
    def start(self, hub: HubProcess, name: str, count: int) -> subprocess.Popen[bytes]:
        with open(os.path.join(hub.directory, "reports"), "ab") as output:
            return subprocess.Popen(
                [sys.executable, "-c", SENDER, hub.socket, os.path.join(hub.directory, "outbox"), name, str(count)], stdout=output,
                env={**os.environ, "PYTHONPATH": os.path.join(os.path.dirname(__file__), "..", "src")})

    def test_each_action_of_killed_processes_takes_effect_once_and_is_reported(self) -> None:
        with HubProcess() as hub:
            path = os.path.join(hub.directory, "reports")
            for turn in range(6):
                process = self.start(hub, f"run{turn}", 1_000_000)
                reached = (os.path.getsize(path) if os.path.exists(path) else 0) + random.randrange(1, 1000)
                while os.path.getsize(path) < reached:
                    self.assertIsNone(process.poll())
                if turn % 3 == 2:
                    hub.kill(signal.SIGKILL)
                    hub.start()
                process.kill()
                process.wait()
            self.assertEqual(self.start(hub, "last", 3).wait(240), 0)
            with blocking.connect(hub.socket) as client:
                added = [todo["text"] for todo in client.attach("todos.todos").value]
            with open(path) as reports:
                reported = reports.read().split()
            self.assertEqual(len(set(added)), len(added))
            self.assertLessEqual(set(reported), set(added))
            # Those of a process in their order, and without a gap.
            for turn in range(6):
                own = [text for text in added if text.startswith(f"run{turn}-")]
                self.assertEqual(own, [f"run{turn}-{number}" for number in range(len(own))])

    def test_a_file_is_used_by_one_client(self) -> None:
        with HubProcess() as hub:
            path = os.path.join(hub.directory, "outbox")
            with blocking.connect(hub.socket, outbox=path):
                with self.assertRaises(OutboxInUse), blocking.connect(hub.socket, outbox=path):
                    pass
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            with blocking.connect(hub.socket, outbox=path):
                pass

    def test_an_action_for_which_the_disk_has_no_room_fails_at_once(self) -> None:
        # The timeouts only end a wait that must not begin: nothing else happens meanwhile.
        with HubProcess() as hub, blocking.connect(
            hub.socket, outbox=os.path.join(hub.directory, "outbox"), probe_interval=None
        ) as client:
            part = client.attach("todos.todos")
            client.send({"todos": {"addButtonTapped": "stored"}})
            assert client._outbox and client._outbox._database
            (pages,) = client._outbox._database.execute("PRAGMA page_count").fetchone()
            client._outbox._database.execute(f"PRAGMA max_page_count = {pages}").fetchall()
            action = {"todos": {"addButtonTapped": "x" * 20_000}}
            start = time.monotonic()
            with self.assertRaises(NotStored):
                client.send(action, timeout=240)
            sent = client.begin(action)
            client.poll(240)
            self.assertTrue(sent.is_done)
            with self.assertRaises(NotStored):
                sent.wait(240)
            self.assertLess(time.monotonic() - start, 240)
            client._outbox._database.execute("PRAGMA max_page_count = 1000").fetchall()
            client.send({"todos": {"addButtonTapped": "again"}})
            self.assertEqual([todo["text"] for todo in part.value], ["stored", "again"])

    def test_another_file_is_refused(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"this is no database, and longer than the head of one" * 20)
            file.flush()
            with self.assertRaises(OutboxError):
                blocking.connect("/nowhere", outbox=file.name).__enter__()

    def test_a_path_that_is_no_file_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for path, text in (
                (directory, "is a directory; name a file"), (os.path.join(directory, "none", "outbox"), "No such file"),
                (os.path.join(directory, "a\0b"), "null"),
            ):  # fmt: skip
                with self.subTest(path=path), self.assertRaisesRegex(OutboxError, text):
                    blocking.connect("/nowhere", outbox=path).__enter__()

                async def enter(path: str = path) -> None:
                    await storehub.connect("/nowhere", outbox=path).__aenter__()

                with self.subTest(path=path), self.assertRaisesRegex(OutboxError, text):
                    asyncio.run(enter())

    def test_damaged_contents_are_named_before_anything_is_sent(self) -> None:
        with HubProcess() as hub:
            sound = os.path.join(hub.directory, "outbox")
            with blocking.connect(hub.socket, outbox=sound) as client:
                client.send({"todos": {"addButtonTapped": "kept"}})
                hub.kill()
                client.begin({"todos": {"addButtonTapped": "kept"}})
            for sql, text in (
                ("UPDATE client SET session = x'4401020304'", "the session cannot be read"),
                ("UPDATE client SET session = x'05'", "the session cannot be read"),
                ("UPDATE client SET session = x'ff'", "the session cannot be read"),
                ("UPDATE client SET session = x''", "the session cannot be read"),
                ("UPDATE client SET schema = x'80'", "the schema cannot be read"),
                ("UPDATE client SET schema = x'ff'", "the schema cannot be read"),
                ("UPDATE client SET acknowledged = -1", "numbers of no session"), ("DELETE FROM client", "row .* is missing"),
                ("UPDATE actions SET action = x'ff'", "action 2 cannot be read"),
                ("UPDATE actions SET action = x'" + "81" * 5000 + "'", "action 2 cannot be read"),
                ("UPDATE actions SET action = CAST(action || 'a' AS BLOB)", "action 2 cannot be read"),
                ("UPDATE actions SET number = 0", "the number 0"),
                ("DROP TABLE client", "no such table"),
            ):  # fmt: skip
                with self.subTest(sql=sql[:60]):
                    damaged = shutil.copy(sound, sound + ".damaged")
                    database = sqlite3.connect(damaged)
                    database.execute(sql)
                    database.commit()
                    database.close()
                    with self.assertRaisesRegex(OutboxError, f"is damaged, or another file: .*{text}.*; move the file away"):
                        blocking.connect(hub.socket, outbox=damaged, wait=0).__enter__()
            # What is damaged can be a page of a table, too.
            with open(sound, "rb") as file:
                data = bytearray(file.read())
            data[4096:8192] = bytes(4096)
            with open(damaged, "wb") as file:
                file.write(data)
            with self.assertRaisesRegex(OutboxError, "is damaged"):
                blocking.connect(hub.socket, outbox=damaged, wait=0).__enter__()
            with blocking.connect(hub.socket, outbox=sound, wait=0) as client:
                self.assertEqual(client._core.pending, 1)

    def test_an_action_waits_in_the_outbox_for_the_next_asynchronous_client(self) -> None:
        async def run(hub: HubProcess, path: str) -> list[tuple[Any, Any]]:
            async with storehub.connect(hub.socket, outbox=path) as client:
                hub.kill()
                sent = await client.begin({"todos": {"addButtonTapped": "later"}})
                await asyncio.sleep(0)
            with self.assertRaises(KeptInOutbox):
                await sent
            hub.start()
            recovered: list[tuple[Any, Any]] = []
            async with storehub.connect(
                hub.socket, outbox=path, on_recovered=lambda action, error: recovered.append((action, error))
            ) as client:
                todos = await client.attach("todos.todos")
                await todos.wait_until(lambda value: len(value) == 1)
                await client.send({"todos": {"addButtonTapped": "last"}})
            return recovered

        with HubProcess() as hub:
            recovered = asyncio.run(run(hub, os.path.join(hub.directory, "outbox")))
        self.assertEqual(recovered, [({"todos": {"addButtonTapped": "later"}}, None)])


