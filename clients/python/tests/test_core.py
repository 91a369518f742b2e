"""The core without input and output, with a hub that says what a test tells it to."""

from __future__ import annotations

import random
import unittest

from storehub import _cbor, _messages as wire
from storehub._cbor import Map
from storehub._events import Phase
from storehub._parts import Subscription
from storehub.errors import (
    ActionError,
    ActionTooLarge,
    InvalidValue,
    LimitReached,
    NotConnected,
    OutcomeUnknown,
    ProtocolError,
    Rejected,
    RejectionCode,
    StateLost,
    TooManyPending,
    UnknownPart,
)
from storehub._places import parsed
from storehub.paths import path, views
from storehub.states import Connecting, Ended, Live, Stale

from .scripted import SCHEMA, SESSION, STATE, Script, kinds, numbers


class Greeting(unittest.TestCase):
    def test_the_client_says_hello_and_asks_for_the_schema(self) -> None:
        script = Script(name="me")
        self.assertEqual(script.sent[0].payload, _cbor.encoded(Map([(0, 1), (1, 1), (4, "me")])))
        part = script.core.attach(path)
        self.assertEqual(kinds(script.welcome()), [wire.ATTACH])
        self.assertIsInstance(script.core.state, Live)
        script.snapshot(1, STATE)
        self.assertEqual(part.value, {"count": 0, "items": ({"id": 7, "text": "seven"},), "note": None})

    def test_unknown_keys_and_kinds_are_ignored(self) -> None:
        script = Script()
        script.welcome(k12=True, k300=(Map([(0, b"x")]), -1))
        self.assertEqual(script.core.phase, Phase.OPEN)
        script.say(0xC0, b"anything")
        script.say(0x8E, b"")
        self.assertFalse(script.core.wants_close)

    def test_another_version_is_refused_for_good(self) -> None:
        for answer in (lambda one: one.welcome(k0=2), lambda one: one.say(wire.ERROR, (1, "only version 9"))):
            script = Script()
            answer(script)
            self.assertTrue(script.core.is_ended)
            assert isinstance(script.core.state, Ended)
            self.assertTrue(script.core.state.is_refused)
            with self.assertRaises(NotConnected):
                script.core.begin("increment")

    def test_a_hub_that_owes_an_answer_is_pinged_before_it_counts_as_lost(self) -> None:
        script = Script(timeout=10)
        script.welcome()
        script.core.begin("increment")
        script.collect()
        for _ in range(3):
            # It does not answer, for a disk is slow, and lives.
            self.assertEqual(script.core.deadline(), script.now + 5)
            script.now += 5
            script.core.tick(script.now)
            ping = script.collect()
            self.assertEqual(kinds(ping), [wire.PING])
            self.assertEqual(script.core.deadline(), script.now + 5)
            script.now += 4
            script.say(wire.PONG, ping[0].payload)
            self.assertFalse(script.core.wants_close)
        script.now += 5
        script.core.tick(script.now)
        script.now += 5
        script.core.tick(script.now)
        self.assertTrue(script.core.wants_close)

    def test_a_client_that_was_stopped_asks_before_it_gives_up(self) -> None:
        script = Script(timeout=10)
        script.welcome()
        script.core.begin("increment")
        script.collect()
        script.now += 1000
        script.core.tick(script.now)
        self.assertEqual(kinds(script.collect()), [wire.PING])
        self.assertFalse(script.core.wants_close)
        script.applied(1)
        self.assertEqual(script.outcomes(), [(1, None)])

    def test_attempts_are_made_less_and_less_often(self) -> None:
        script = Script()
        delays = []
        for _ in range(12):
            script.core.disconnected("no hub", 0)
            delays.append(script.core.retry_at)
            script.core.connect_now()
        self.assertLess(delays[0], 0.11)
        self.assertGreater(delays[-1], 2.4)
        self.assertLessEqual(max(delays), 5)
        self.assertIsInstance(script.core.state, Connecting)

    def test_a_connection_that_soon_breaks_is_no_reason_to_hurry(self) -> None:
        for seconds, longest in ((0.1, 5), (2, 0.05)):
            script = Script()
            for _ in range(8):
                part = script.core.attach(path)
                script.welcome(resumed=True)
                assert part.number
                script.now += seconds
                script.say(wire.DELTA, (3, Map([(0, 5)])), part.number, 0, 4)
                self.assertTrue(script.core.wants_close)
                script.core.disconnected("closed", script.now)
                delay = script.core.retry_at - script.now
                script.connect()
            self.assertLessEqual(delay, longest)
            self.assertGreaterEqual(delay, longest / 2)

    def test_a_client_that_is_closed_while_it_connects_stays_closed(self) -> None:
        script = Script()
        script.core.disconnected("cut", 0)
        script.core.connect_now()
        script.core.close()
        script.core.connected(0)
        self.assertEqual(script.collect(), [])
        with self.assertRaises(NotConnected):
            script.core.begin("increment")

    def test_a_silent_hub_is_left(self) -> None:
        script = Script(timeout=10)
        self.assertEqual(script.core.deadline(), 10)
        script.core.tick(9.9)
        self.assertFalse(script.core.wants_close)
        script.core.tick(10)
        self.assertTrue(script.core.wants_close)
        script.core.disconnected("closed", 10)
        self.assertIn("not answered", str(script.core.state))

    def test_an_idle_client_probes_if_asked_to(self) -> None:
        script = Script(probe_interval=30)
        script.welcome()
        self.assertEqual(script.core.deadline(), 30)
        script.now = 30
        script.core.tick(30)
        self.assertEqual(kinds(script.collect()), [wire.PING])
        self.assertEqual(script.core.deadline(), 40)
        script.say(wire.PONG, 1)
        self.assertEqual(script.core.deadline(), 60)


class Parts(unittest.TestCase):
    def live(self, **options: object) -> tuple[Script, object]:
        script = Script(**options)
        part = script.core.attach(path)
        script.welcome()
        script.snapshot(1, STATE, 3)
        return script, part

    def test_deltas_bookmarks_and_absence(self) -> None:
        script, part = self.live()
        script.say(wire.DELTA, (3, Map([(0, 5), (1, Map([(2, (1, Map([(0, 8), (1, "eight")])))]))])), 1, 0, 4)
        self.assertEqual((part.value["count"], len(part.value["items"]), part.revision), (5, 2, 4))
        script.say(wire.BOOKMARK, b"", 1, 0, 9)
        self.assertEqual(part.revision, 9)
        script.say(wire.ABSENT, b"", 1, 0, 10)
        self.assertFalse(part.is_present)
        self.assertTrue(str(part.absence()).endswith("has no value now"))
        script.say(wire.ABSENT, "it traps", 1, 0, 10)
        self.assertTrue(str(part.absence()).endswith("has no value now: it traps"))

    def test_what_does_not_fit_ends_the_connection_and_the_part_is_attached_anew(self) -> None:
        for kind, payload, revision in (
            (wire.DELTA, (2, Map([(0, 5)])), 4),
            (wire.DELTA, (3, Map([(1, Map([(0, (99,))]))])), 4),
            (wire.DELTA, (3, Map([(2, Map([(0, "x")]))])), 4),
            (wire.DELTA, (3, Map([(0, "text")])), 4),
            (wire.DELTA, (3, Map([(0, 5)])), 3),
            (wire.BOOKMARK, b"", 3),
            (wire.SNAPSHOT, (0, 5, b"x"), 4),
            (wire.DELTA, (3, Map([(1, Map([(4, ())]))])), 4),
            (wire.DELTA, (3, Map([(1, Map([(3, (7, Map([(0, 8)])))]))])), 4),
        ):
            with self.subTest(payload=payload):
                script, part = self.live()
                script.say(kind, payload, 1, 0, revision)
                self.assertTrue(script.core.wants_close)
                self.assertEqual(part.value["count"], 0)
                attach = [frame for frame in script.cut(resumed=True) if frame.kind == wire.ATTACH]
                self.assertEqual(attach[0].payload, _cbor.encoded(Map([(0, ())])))

    def test_unknown_fields_are_skipped_with_their_changes(self) -> None:
        script = Script()
        part = script.core.attach(path)
        script.welcome()
        script.snapshot(1, Map([*STATE.pairs, (9, (Map([(1, 2)]),))]), 3)
        script.say(wire.DELTA, (3, Map([(0, 1), (9, Map([(1, "x")]))])), 1, 0, 4)
        self.assertEqual(part.value["count"], 1)
        self.assertNotIn(9, part.value)

    def test_a_snapshot_arrives_in_pieces_between_other_frames(self) -> None:
        script = Script()
        part = script.core.attach(path)
        script.welcome()
        data = _cbor.encoded(STATE)
        for at in range(0, len(data), 4):
            last = at + 4 >= len(data)
            script.say(wire.SNAPSHOT, (0, at, data[at : at + 4]), 1, int(last), 3)
            script.say(wire.PONG, 0)
            self.assertEqual(part.is_present, last)
        # A piece with offset 0 discards the pieces before it.
        script.say(wire.SNAPSHOT, (1, 0, data[:4]), 1, 0, 4)
        script.snapshot(1, STATE, 5)
        self.assertEqual(part.revision, 5)

    def test_the_size_of_a_value_is_limited(self) -> None:
        script = Script(state_bytes=100)
        part = script.core.attach(path)
        script.welcome()
        answer = script.say(wire.SNAPSHOT, (0, 0, bytes(101)), 1, 0, 3)
        self.assertEqual(kinds(answer), [wire.DETACH])
        self.assertIn("more than 100 bytes", str(part.error))

    def test_a_resumed_session_names_the_revision_and_another_history_does_not(self) -> None:
        script, part = self.live()
        frames = script.cut(resumed=True)
        self.assertEqual(frames[0].payload, _cbor.encoded(Map([(0, ()), (1, 3)])))
        self.assertEqual(kinds(frames), [wire.ATTACH, wire.PING])
        script.say(wire.DELTA, (3, Map([(0, 6)])), 1, 0, 4)
        self.assertEqual(part.value["count"], 6)
        self.assertEqual(script.cut(resumed=True, history=6)[0].payload, _cbor.encoded(Map([(0, ())])))
        self.assertEqual(script.cut(resumed=False, history=6)[0].payload, _cbor.encoded(Map([(0, ())])))

    def test_a_detached_number_is_used_again_only_when_the_hub_says_so(self) -> None:
        script, part = self.live()
        script.core.detach(part)
        other = script.core.attach(path)
        self.assertEqual([(frame.kind, frame.scope) for frame in script.collect()], [(wire.DETACH, 1), (wire.ATTACH, 2)])
        # What was under way is ignored.
        script.say(wire.DELTA, (3, Map([(0, 5)])), 1, 0, 4)
        self.assertFalse(script.core.wants_close)
        script.say(wire.DETACHED, b"", 1)
        script.snapshot(2, STATE, 4)
        self.assertTrue(other.is_present)

    def test_a_frame_for_a_scope_that_was_never_attached_is_refused(self) -> None:
        script, _ = self.live()
        script.say(wire.ABSENT, b"", 9, 0, 4)
        self.assertTrue(script.core.wants_close)

    def test_hashes_are_compared(self) -> None:
        script, part = self.live()
        assert part.type
        script.core.verify(part)
        self.assertEqual(kinds(script.collect()), [wire.VERIFY])
        script.say(wire.HASH, part.type.hash(part.value), 1, 0, 3)
        self.assertEqual(script.verified(), [True])
        answer = script.say(wire.HASH, 12345, 1, 0, 3)
        self.assertEqual(script.verified(), [True, False])
        self.assertEqual([(frame.kind, frame.scope) for frame in answer], [(wire.DETACH, 1), (wire.ATTACH, 2)])

    def test_paths_and_windows(self) -> None:
        script = Script()
        script.core.attach(path.items[7].text)
        script.core.attach(path.items[2:5])
        script.core.attach(path.items[-3:])
        script.core.attach(path.note)
        wrong = [script.core.attach(one) for one in (path.other, path.items["x"], path.count.x, path.count[1])]
        frames = script.welcome()
        paths = [dict(_cbor.decoded(frame.payload).pairs)[0] for frame in frames]
        self.assertEqual(paths, [(1, (7,), 1), (1, (2, 3)), (1, (-3, 3)), (2,)])
        for part in wrong:
            self.assertIsNotNone(part.error)

    def test_windows_are_not_asked_of_a_hub_without_them(self) -> None:
        script = Script()
        part = script.core.attach(path.items[0:5])
        self.assertEqual(script.welcome(k11=0), [])
        self.assertIsInstance(part.error, UnknownPart)

    def test_a_part_that_the_hub_refuses_fails_alone(self) -> None:
        for code in (6, 12):
            script, part = self.live()
            refused = script.core.attach(path.note)
            script.collect()
            script.say(wire.ERROR, (code, "no"))
            self.assertIsInstance(refused.error, UnknownPart)
            self.assertEqual(kinds(script.cut(resumed=True)), [wire.ATTACH, wire.PING])
            self.assertIsNone(part.error)


class Actions(unittest.TestCase):
    def live(self, **options: object) -> Script:
        script = Script(**options)
        script.welcome()
        return script

    def test_actions_of_one_turn_are_one_frame(self) -> None:
        script = self.live()
        for text in "abc":
            script.core.begin({"add": text})
        frames = script.collect()
        self.assertEqual(numbers(frames), [(1, 0, 3)])
        self.assertEqual(frames[0].flags, wire.CANCELLABLE)
        script.applied(3)
        self.assertEqual(script.outcomes(), [(1, None), (2, None), (3, None)])
        script.core.begin("increment")
        self.assertEqual(numbers(script.collect()), [(4, 3, 1)])

    def test_all_rejections_have_their_codes(self) -> None:
        script = self.live()
        for code in [*RejectionCode, 99]:
            action = script.core.begin("increment")
            script.collect()
            script.say(wire.REJECTED, (action.sequence, int(code), "why"))
            script.applied(action.sequence)
            assert isinstance(action.error, Rejected)
            self.assertEqual((action.error.code, action.error.reason), (code, "why"))
            self.assertEqual(isinstance(action.error.code, RejectionCode), code != 99)

    def test_what_is_not_an_action_is_refused_before_it_is_sent(self) -> None:
        script = self.live()
        for value, text in (
            ("decrement", "Action has no case 'decrement'"), ({"add": 5}, "in add: 5 is not a value of type String"),
            ("add", "the case 'add' of Action has values"), ({"increment": 1}, "the case 'increment' of Action has no value"),
            ({"move": {"id": 1}}, "the case 'move' of Action has the values id, before"), (7, "7 is not a value"),
            ({"add": "\ud800"}, "in add: the text"),
        ):  # fmt: skip
            with self.subTest(value=value), self.assertRaisesRegex(InvalidValue, text):
                script.core.begin(value)
        self.assertEqual(script.core.pending, 0)

    def test_actions_are_sent_again_exactly_after_the_processed_one(self) -> None:
        script = self.live()
        for _ in range(4):
            script.core.begin("increment")
        script.collect()
        script.applied(1)
        frames = script.cut(resumed=True, processed=2)
        self.assertEqual(numbers(frames), [(3, 1, 2)])
        hello = script.sent[-1 - len(frames) - 0]
        self.assertIsNotNone(hello)
        # The hub repeats the outcomes that it has.
        script.applied(2)
        script.say(wire.REJECTED, (3, 6, "full"))
        script.applied(4)
        outcomes = script.outcomes()
        self.assertEqual([number for number, _ in outcomes], [1, 2, 3, 4])
        self.assertEqual([type(error) for _, error in outcomes], [type(None), type(None), Rejected, type(None)])

    def test_the_hello_names_the_session_and_what_is_acknowledged(self) -> None:
        script = self.live()
        script.core.begin("increment")
        script.collect()
        script.applied(1)
        script.core.disconnected("cut", 0)
        script.connect()
        keys = dict(_cbor.decoded(script.sent[-1].payload).pairs)
        self.assertEqual((keys[2], keys[3], keys[6]), (bytes(range(16)), 1, 5))

    def test_a_lost_session_leaves_the_outcome_unknown_and_sends_only_what_was_never_sent(self) -> None:
        script = self.live()
        sent = script.core.begin("increment")
        script.collect()
        script.core.disconnected("cut", 0)
        waiting = script.core.begin({"add": "x"})
        self.assertIsInstance(script.core.state, Stale)
        script.connect()
        self.assertEqual(numbers(script.welcome(resumed=False)), [(1, 0, 1)])
        self.assertIsInstance(sent.error, OutcomeUnknown)
        self.assertFalse(waiting.is_done)

    def test_waiting_actions_may_be_given_up_with_a_lost_history(self) -> None:
        script = self.live(sends_after_loss=False)
        script.core.begin("increment")
        script.collect()
        script.core.disconnected("cut", 0)
        waiting = script.core.begin("increment")
        script.connect()
        self.assertEqual(numbers(script.welcome(resumed=True, processed=0, history=6)), [])
        self.assertIsInstance(waiting.error, StateLost)

    def test_a_hub_that_counts_wrongly_is_left(self) -> None:
        for say in (
            lambda one: one.applied(5),
            lambda one: one.say(wire.REJECTED, (5, 1, "")),
            lambda one: one.cut(resumed=True, processed=9),
            lambda one: one.say(wire.WELCOME, Map([(0, 1), (1, bytes(16))])),
            lambda one: one.say(wire.REJECTED, (1, 1)),
            lambda one: one.say(wire.APPLIED, b"\x18\x01"),
            lambda one: one.core.receive(b"\xff\xff\xff\xff\x83" + bytes(11), 0),
            lambda one: one.say(wire.ERROR, (2, "x" * 5000)),
        ):
            script = self.live()
            script.core.begin("increment")
            script.collect()
            say(script)
            self.assertTrue(script.core.wants_close)
            self.assertFalse(script.core.is_ended)

    def test_actions_that_wait_for_the_schema_fail_when_it_has_no_such_action(self) -> None:
        script = Script()
        wrong, right = script.core.begin("nothing"), script.core.begin("increment")
        self.assertEqual(numbers(script.welcome()), [(1, 0, 1)])
        self.assertIsInstance(wrong.error, InvalidValue)
        self.assertFalse(right.is_done)

    def test_pending_actions_and_their_sizes_are_limited(self) -> None:
        script = Script(pending_actions=2)
        script.welcome(k4=100)
        with self.assertRaises(ActionTooLarge):
            script.core.begin({"data": bytes(100)})
        for _ in range(2):
            script.core.begin({"data": bytes(50)})
        with self.assertRaises(TooManyPending):
            script.core.begin("increment")
        # Each frame is within the hub's limit.
        self.assertEqual(numbers(script.collect()), [(1, 0, 1), (2, 0, 1)])

    def test_refusals_are_acknowledged_before_the_hub_keeps_too_many(self) -> None:
        script = self.live()
        for _ in range(300):
            script.core.begin("increment")
        script.collect()
        for number in range(1, 301):
            script.say(wire.REJECTED, (number, 6, ""))
        self.assertEqual(numbers(script.applied(300)), [(301, 300, 0)])

    def test_more_actions_than_the_hub_keeps_refusals_for_are_sent_as_their_outcomes_arrive(self) -> None:
        script = self.live()
        for _ in range(3000):
            script.core.begin("increment")
        processed = 0
        while processed < 3000:
            frames = numbers(script.collect())
            self.assertNotEqual(frames, [], "the client is stuck")
            for first, acknowledged, count in frames:
                self.assertEqual(first, processed + 1)
                for processed in range(first, first + count):
                    self.assertLessEqual(processed - acknowledged, 1024, "the hub would end the connection with error 9")
                    script.core.receive(wire.frame(wire.REJECTED, _cbor.encoded((processed, 2, "no"))), 0)
            script.core.receive(wire.frame(wire.APPLIED, wire.number(processed)), 0)
        self.assertEqual(script.core.pending, 0)

    def test_an_action_that_is_too_large_for_the_next_hub_fails_and_those_after_it_are_sent(self) -> None:
        script = self.live()
        small, large, last = (script.core.begin({"data": bytes(size)}) for size in (1, 200, 2))
        script.collect()
        self.assertEqual(numbers(script.cut(resumed=True, k4=100, k6=script.core._fingerprint)), [(1, 0, 2)])
        self.assertIsInstance(large.error, ActionTooLarge)
        self.assertEqual((small.sequence, last.sequence), (1, 2))
        script.applied(2)
        self.assertEqual((script.core.pending, small.error, last.error), (0, None, None))

    def test_an_action_that_the_next_schema_does_not_have_fails_and_cancels_nothing(self) -> None:
        script = self.live()
        first, second = script.core.begin({"add": "x"}), script.core.begin("increment")
        script.collect()
        script.core.disconnected("cut", 0)
        script.connect()
        script.say(wire.WELCOME, Map([(0, 1), (1, SESSION), (2, True), (3, 0), (6, b"g" * 32), (7, 5), (10, True)]))
        other = (*SCHEMA[:3], ("Action", 1, (0, "increment")), SCHEMA[4])
        self.assertEqual(numbers(script.say(wire.SCHEMA, other)), [(1, 0, 1)])
        self.assertIsInstance(first.error, InvalidValue)
        self.assertEqual(second.sequence, 1)
        script.core.cancel(first)
        self.assertEqual(script.collect(), [])

    def test_cancel_names_the_action(self) -> None:
        script = self.live()
        action = script.core.begin("increment")
        script.core.cancel(action)
        self.assertEqual(kinds(script.collect()), [wire.ACTIONS, wire.CANCEL, wire.PING])
        script.say(wire.PONG, 1)
        script.core.cancel(action)
        self.assertEqual([frame.payload for frame in script.collect()], [b"\x01", b"\x02"])

    def test_a_cancel_that_the_hub_may_not_have_read_is_sent_again(self) -> None:
        script = self.live()
        first, second = script.core.begin("increment"), script.core.begin("increment")
        script.collect()
        script.applied(1)
        script.core.cancel(first)
        script.core.cancel(second)
        script.collect()
        # The second one is not processed: its cancellation follows it.
        self.assertEqual(kinds(script.cut(resumed=True, processed=1)), [wire.ACTIONS, wire.CANCEL, wire.CANCEL, wire.PING])
        script.say(wire.PONG, 1)
        self.assertEqual(kinds(script.cut(resumed=True, processed=2)), [])
        script.core.cancel(first)
        script.core.disconnected("cut", 0)
        script.connect()
        self.assertEqual(script.welcome(resumed=False, k1=bytes(16)), [])
        # In another session, its number is that of another action.
        script.core.begin("increment")
        script.core.cancel(first)
        self.assertEqual(kinds(script.collect()), [wire.ACTIONS])

    def test_a_hub_that_does_not_take_cancel_gets_none(self) -> None:
        script = Script()
        script.welcome(k10=False)
        action = script.core.begin("increment")
        frames = script.collect()
        script.core.cancel(action)
        self.assertEqual((frames[0].flags, script.collect()), (0, []))

    def test_a_revision_goes_with_the_actions_that_were_decided_on_at_it(self) -> None:
        script = self.live()
        for seen in (4, 4, 5, None):
            script.core.begin("increment", seen)
        frames = script.collect()
        self.assertEqual([(frame.flags, frame.revision) for frame in frames], [(3, 4), (3, 5), (2, 0)])
        self.assertEqual(numbers(frames), [(1, 0, 2), (3, 0, 1), (4, 0, 1)])

    def test_an_action_that_the_hub_cannot_read_is_not_sent_for_ever(self) -> None:
        script = self.live()
        action = script.core.begin("increment")
        script.collect()
        script.say(wire.ERROR, (2, "malformed"))
        self.assertEqual(numbers(script.cut(resumed=True)), [(1, 0, 1)])
        script.say(wire.ERROR, (2, "malformed"))
        self.assertIsInstance(action.error, ActionError)
        self.assertEqual(numbers(script.cut(resumed=True)), [])

    def test_a_session_that_continues_elsewhere_is_left(self) -> None:
        script = self.live()
        action = script.core.begin("increment")
        script.collect()
        script.say(wire.ERROR, (10, "elsewhere"))
        self.assertIsInstance(action.error, OutcomeUnknown)
        script.core.disconnected("closed", 0)
        script.connect()
        self.assertNotIn(2, dict(_cbor.decoded(script.sent[-1].payload).pairs))

    def test_closing_leaves_and_settles_everything(self) -> None:
        script = self.live()
        part = script.core.attach(path)
        sent = script.core.begin("increment")
        script.collect()
        script.core.close()
        self.assertEqual(kinds(script.collect()), [wire.LEAVE])
        self.assertIsInstance(sent.error, OutcomeUnknown)
        self.assertIsInstance(part.error, NotConnected)


class HostileBytes(unittest.TestCase):
    def test_no_bytes_raise_anything_and_each_conversation_can_go_on(self) -> None:
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        for _ in range(400):
            script = Script()
            part = script.core.attach(path)
            script.core.begin("increment")
            script.welcome()
            script.snapshot(1, STATE, 3)
            kind = draw.randrange(0x81, 0x8E)
            payload = bytearray(draw.choice([
                _cbor.encoded((3, Map([(0, 5), (1, Map([(2, (1, Map([(0, 8), (1, "eight")])))]))]))),
                _cbor.encoded((0, 0, _cbor.encoded(STATE))), b"\x01", _cbor.encoded((1, 2, "x")), _cbor.encoded((9, "x")),
            ]))  # fmt: skip
            for _ in range(draw.randrange(4)):
                payload[draw.randrange(len(payload))] = draw.randrange(256)
            try:
                script.say(kind, bytes(payload), draw.choice([1, 1, 1, 0, 2]), draw.randrange(2), draw.randrange(6))
                if script.core.is_ended or part.is_detached:
                    continue
                script.cut(resumed=True, processed=0 if script.core._acknowledged == 0 else 1)
                script.snapshot(part.number or 0, STATE, 9)
                self.assertTrue(part.is_present)
            except ProtocolError as error:
                self.fail(f"seed {seed}: {error}")


class Bytes(unittest.TestCase):
    def test_the_bytes_of_pending_actions_are_limited(self) -> None:
        script = Script(pending_bytes=1000)
        script.welcome()
        text = "x" * 600
        for _ in range(2):
            self.assertTrue(script.core.has_room)
            script.core.begin({"add": text})
        self.assertFalse(script.core.has_room)
        with self.assertRaisesRegex(TooManyPending, "2 actions of 12.. bytes"):
            script.core.begin("increment")
        script.collect()
        script.applied(1)
        self.assertTrue(script.core.has_room)

    def test_every_way_to_an_outcome_gives_the_bytes_back(self) -> None:
        script = Script(pending_bytes=1000)
        # Its size is known with the schema.
        script.core.begin({"add": "x" * 2000})
        self.assertTrue(script.core.has_room)
        script.core.begin({"nothing": 1})
        script.welcome()
        self.assertFalse(script.core.has_room)
        script.say(wire.REJECTED, (1, 3, "no"))
        self.assertTrue(script.core.has_room)
        script.applied(1)
        script.core.begin({"add": "x" * 2000})
        script.collect()
        script.cut()
        self.assertIsInstance(script.outcomes()[-1][1], OutcomeUnknown)
        script.core.begin({"add": "x" * 2000})
        script.core.close()
        self.assertEqual(script.core._pending_bytes, 0)


class Elsewhere(unittest.TestCase):
    """Large values, which the shell reads."""

    def setUp(self) -> None:
        self.script = Script(reads_elsewhere_above=8)
        self.part = self.script.core.attach(path)
        self.script.welcome()
        assert self.part.number
        self.script.snapshot(self.part.number, STATE, 3)

    def test_what_follows_waits_until_the_value_is_read(self) -> None:
        script, part = self.script, self.part
        assert part.number
        self.assertFalse(part.is_known())
        script.say(wire.DELTA, (3, Map([(0, 5)])), part.number, 0, 4)
        script.say(wire.BOOKMARK, b"", part.number, 0, 9)
        self.assertIsNone(script.core.deadline())
        script.now += 1000
        script.core.tick(script.now)
        self.assertFalse(script.core.wants_close)
        reading = script.core.reading
        assert reading
        reading.run()
        self.assertFalse(part.is_known())
        script.core.finish_reading(reading, script.now)
        self.assertIsNone(script.core.reading)
        self.assertEqual((part.value["count"], part.revision), (5, 9))

    def test_a_value_of_a_lost_connection_or_a_detached_part_is_dropped(self) -> None:
        script = self.script
        reading = script.core.reading
        assert reading
        script.core.detach(self.part)
        reading.run()
        script.core.finish_reading(reading, script.now)
        self.assertIsNone(self.part.revision)
        other = script.core.attach(path)
        script.collect()
        assert other.number
        script.snapshot(other.number, STATE, 3)
        late = script.core.reading
        assert late
        late.run()
        script.cut()
        script.core.finish_reading(late, script.now)
        self.assertIsNone(other.revision)
        self.assertIsNone(script.core.reading)

    def test_a_value_that_cannot_be_read_ends_the_connection(self) -> None:
        script = Script(reads_elsewhere_above=0)
        part = script.core.attach(path)
        script.welcome()
        assert part.number
        script.snapshot(part.number, 17, 3)
        reading = script.core.reading
        assert reading
        reading.run()
        self.assertFalse(script.core.wants_close)
        script.core.finish_reading(reading, script.now)
        self.assertTrue(script.core.wants_close)



VIEWS = (
    0, "Never",
    ("Views", 0, (), (0, "active", ("Array", "String"), False), (4, "tagged", ("View", "Bool", "Int"), False),
     (5, "named", ("View", "String", "Int"), False)),
)  # fmt: skip


class Views(unittest.TestCase):
    def test_a_view_is_found_by_its_name_in_the_schema_of_the_views(self) -> None:
        script = Script()
        script.welcome(k15=b"v" * 32)
        first, second = script.core.attach(parsed("view:active")), script.core.attach(views.tagged[True])
        asked = script.collect()
        self.assertEqual({(frame.kind, frame.scope) for frame in asked}, {(wire.DESCRIBE, 3)})
        attached = script.say(wire.SCHEMA, VIEWS, scope=3)
        paths = [((0,),), ((4, (True,)),)]
        self.assertEqual([frame.payload for frame in attached],
                         [_cbor.encoded(Map([(0, steps), (2, 3)])) for (steps,) in paths])
        script.snapshot(attached[0].scope, ("a", "b"), 1)
        script.snapshot(attached[1].scope, 7, 1)
        self.assertEqual((first.value, second.value), (("a", "b"), 7))

    def test_a_hub_without_views_is_not_asked(self) -> None:
        script = Script()
        script.welcome()
        part = script.core.attach(views.active)
        self.assertIsInstance(part.error, UnknownPart)
        self.assertEqual(script.collect(), [])

    def test_parts_beyond_a_limit_wait_for_a_place_and_others_go_on(self) -> None:
        script = Script()
        script.welcome(k15=b"v" * 32)
        parts = [script.core.attach(views.active) for _ in range(3)]
        script.collect()
        attached = script.say(wire.SCHEMA, VIEWS, scope=3)
        script.snapshot(attached[0].scope, ("a",), 1)
        for frame in attached[1:]:
            script.say(wire.ABSENT, "views of this hub: 1", frame.scope)
            script.say(wire.DETACHED, 12, frame.scope)
        for part in parts[1:]:
            self.assertIsInstance(part.absence(), LimitReached)
            self.assertIn("views of this hub: 1", str(part.absence()))
        self.assertEqual((parts[0].value, [part.error for part in parts]), (("a",), [None] * 3))
        # The hub does not have the number of a refused part.
        script.core.detach(parts[2])
        self.assertEqual(script.collect(), [])
        script.core.detach(parts[0])
        detached, again = script.collect()
        self.assertEqual((detached.kind, again.kind), (wire.DETACH, wire.ATTACH))
        self.assertNotIn(again.scope, {attached[0].scope})
        script.snapshot(again.scope, ("b",), 1)
        self.assertEqual((parts[1].value, parts[1].refusal), (("b",), None))
        # Each is requested on the next connection.
        third = script.core.attach(views.active)
        (request,) = script.collect()
        script.say(wire.ABSENT, "views of this hub: 1", request.scope)
        script.say(wire.DETACHED, 12, request.scope)
        script.cut(resumed=True, k15=b"v" * 32)
        requests = [frame.kind for frame in script.say(wire.SCHEMA, VIEWS, scope=3)]
        self.assertEqual((requests, third.awaits_room), ([wire.ATTACH, wire.ATTACH], False))

    def test_a_part_that_is_refused_for_another_reason_than_a_limit_fails_alone(self) -> None:
        for payload in (6, 99):
            script = Script()
            script.welcome(k15=b"v" * 32)
            parts = [script.core.attach(views.active) for _ in range(2)]
            script.collect()
            attached = script.say(wire.SCHEMA, VIEWS, scope=3)
            script.snapshot(attached[0].scope, ("a",), 1)
            script.say(wire.ABSENT, "the parameter of 'view:active' is refused", attached[1].scope)
            self.assertEqual(script.say(wire.DETACHED, payload, attached[1].scope), [])
            self.assertIsInstance(parts[1].error, UnknownPart)
            self.assertIn("the parameter of 'view:active' is refused", str(parts[1].error))
            self.assertTrue(parts[1].is_detached)
            self.assertEqual((parts[0].value, parts[0].error, script.core.wants_close), (("a",), None, False))
            # It is asked for no more: not when another one is detached, and not on the next connection.
            script.core.detach(parts[0])
            self.assertEqual(kinds(script.collect()), [wire.DETACH])
            script.cut(resumed=True, k15=b"v" * 32)
            self.assertEqual(script.collect(), [])

    def test_a_path_that_is_too_long_for_hubs_fails_alone(self) -> None:
        script = Script()
        script.welcome(k15=b"v" * 32)
        longest, longer = (script.core.attach(views.named["x" * length]) for length in (4090, 4091))
        script.collect()
        self.assertEqual(kinds(script.say(wire.SCHEMA, VIEWS, scope=3)), [wire.ATTACH])
        self.assertIsNone(longest.error)
        self.assertEqual(str(longer.error), "the path has 4097 bytes; hubs take 4096")
        self.assertIsInstance(longer.error, UnknownPart)
        self.assertFalse(script.core.wants_close)

    def with_refused(self, attached: int, refused: int) -> tuple[Script, list[Subscription]]:
        """Views of which the hub has attached some and refused the others."""
        script = Script()
        script.welcome(k15=b"v" * 32)
        parts = [script.core.attach(views.active) for _ in range(attached + refused)]
        script.collect()
        requests = script.say(wire.SCHEMA, VIEWS, scope=3)
        for frame in requests[:attached]:
            script.snapshot(frame.scope, ("a",), 1)
        for frame in requests[attached:]:
            self.assertEqual(self.refuse(script, frame), [])
        return script, parts

    def refuse(self, script: Script, request: wire.Frame) -> list[wire.Frame]:
        script.say(wire.ABSENT, "no room", request.scope)
        return script.say(wire.DETACHED, 12, request.scope)

    def test_each_part_that_waits_for_room_is_requested_once_for_a_detached_part(self) -> None:
        script, parts = self.with_refused(1, 3)
        script.core.detach(parts[0])
        detached, *again = script.collect()
        self.assertEqual(kinds([detached, *again]), [wire.DETACH] + [wire.ATTACH] * 3)
        self.assertEqual(self.refuse(script, again[0]), [])
        script.snapshot(again[1].scope, ("b",), 1)
        self.assertEqual(self.refuse(script, again[2]), [])
        self.assertEqual([(part.value, part.awaits_room) for part in parts[1:]],
                         [(None, True), (("b",), False), (None, True)])

    def test_a_part_that_was_refused_before_the_hub_read_of_a_detached_one_is_requested_again(self) -> None:
        script, parts = self.with_refused(2, 1)
        script.core.detach(parts[0])
        script.core.detach(parts[1])
        frames = script.collect()
        self.assertEqual(kinds(frames), [wire.DETACH, wire.ATTACH, wire.DETACH])
        again = self.refuse(script, frames[1])
        self.assertEqual(kinds(again), [wire.ATTACH])
        self.assertIsInstance(parts[2].absence(), LimitReached)
        self.assertEqual(self.refuse(script, again[0]), [])
        self.assertTrue(parts[2].awaits_room)

    def test_a_comparison_of_a_part_that_the_hub_has_not_attached_ends(self) -> None:
        script = Script()
        script.welcome(k15=b"v" * 32)
        part = script.core.attach(views.active)
        script.collect()
        (request,) = script.say(wire.SCHEMA, VIEWS, scope=3)
        script.say(wire.ABSENT, "no room", request.scope)
        count = len(script.verified())
        self.assertTrue(script.core.verify(part))
        script.say(wire.DETACHED, 12, request.scope)
        self.assertEqual(script.verified()[count:], [None])
        self.assertFalse(script.core.verify(part))

    def test_a_view_that_is_not_declared_is_an_error(self) -> None:
        script = Script()
        script.welcome(k15=b"v" * 32)
        part = script.core.attach(views.missing)
        script.collect()
        self.assertEqual(script.say(wire.SCHEMA, VIEWS, scope=3), [])
        self.assertIsInstance(part.error, UnknownPart)


if __name__ == "__main__":
    unittest.main()
