"""Actions that wait for a hub that comes back with other names of fields and cases (PROTOCOL.md, 11.2)."""

from __future__ import annotations

import unittest
from typing import Any

from storehub import _cbor, _messages as wire
from storehub._cbor import Item, Map, Reader
from storehub._ledger import Contents, Session, StoredAction
from storehub._places import parsed
from storehub._renames import named_by
from storehub.errors import InvalidValue, ProtocolError, Rejected, SchemaMismatch
from storehub.paths import PlainPath
from storehub.schema import CaseBinding, EnumBinding, Model, Schema, StructBinding, Types, recursive_definitions

from .scripted import SESSION, Script, numbers
from .test_outbox import Process

FINGERPRINTS = iter(range(1, 256))


def schema(*cases: Item, more: tuple[Item, ...] = ()) -> tuple[Item, ...]:
    """A feature with these cases of its actions."""
    return (0, 1, ("State", 0, (), (0, "count", "Int", True)), ("Action", 1, *cases), *more)


def struct(name: str, *fields: Item) -> tuple[Item, ...]:
    return (name, 0, (), *fields)


OLD = schema((0, "reset"), (1, "added", "", "Int"))
# The former case comes first, so that its key is another one, under which the old hub had a different action.
NEW = schema((0, "counted", "", "Int", ("added",)), (1, "reset"), (2, "halved"))


def live(script: Script, described: Item, resumed: bool = False, processed: int = 0, history: int = 5) -> list[Item]:
    """The hub welcomes the client, and describes a schema; returns the actions that the client then sends."""
    fingerprint = bytes([next(FINGERPRINTS)]) * 32
    script.say(wire.WELCOME, Map([(0, 1), (1, SESSION), (2, resumed), (3, processed), (6, fingerprint), (7, history), (10, True)]))
    return actions(script.say(wire.SCHEMA, described))


def again(script: Script, described: Item, resumed: bool = True, processed: int = 0, history: int = 5) -> list[Item]:
    """The hub restarts with another schema."""
    script.core.disconnected("cut", 0)
    script.connect()
    return live(script, described, resumed, processed, history)


def actions(frames: list[Any]) -> list[Item]:
    """The actions in frames."""
    found: list[Item] = []
    for frame in frames:
        if frame.kind == wire.ACTIONS:
            reader = Reader(frame.payload)
            reader.unsigned(), reader.unsigned()
            while reader.at < reader.end:
                found.append(reader.item())
    return found


def rewritten(old: Item, new: Item, value: Any) -> Any:
    """What becomes of an action that was written for one schema, on a hub with another one."""
    script = Script()
    live(script, old)
    action = script.core.begin(value)
    script.collect()
    again(script, new)
    if action.error is not None:
        raise action.error
    types = script.core.types()
    assert types
    reader = Reader(action.data)
    value = types.action.read(reader)
    reader.finish()
    return value


class Pending(unittest.TestCase):
    def test_the_client_asks_for_former_names(self) -> None:
        script = Script()
        self.assertEqual([(one.kind, one.flags) for one in script.say(wire.WELCOME, Map([(0, 1), (1, SESSION), (7, 5)]))],
                         [(wire.DESCRIBE, 2)])  # fmt: skip

    def test_an_action_is_sent_under_its_new_name_once(self) -> None:
        script = Script()
        live(script, OLD)
        script.core.begin({"added": 2})
        script.core.begin("reset")
        self.assertEqual(actions(script.collect()), [(1, 2), 0])
        script.core.disconnected("cut", 0)
        script.core.begin({"added": 3})
        script.connect()
        # The hub has processed the first one before it ended.
        self.assertEqual(live(script, NEW, resumed=True, processed=1), [1, (0, 3)])
        script.applied(3)
        self.assertEqual(script.outcomes(), [(1, None), (2, None), (3, None)])
        self.assertEqual(again(script, NEW, processed=3), [])

    def test_the_names_of_the_older_side_are_found_by_the_marks_of_the_newer_one(self) -> None:
        self.assertEqual(rewritten(OLD, NEW, {"added": 2}), {"counted": 2})
        self.assertEqual(rewritten(NEW, OLD, {"counted": 2}), {"added": 2})

    def test_names_that_change_twice_are_followed(self) -> None:
        third = schema((5, "reset"), (6, "tallied", "", "Int", ("counted",)))
        script = Script()
        live(script, OLD)
        action = script.core.begin({"added": 2})
        script.collect()
        self.assertEqual(again(script, NEW), [(0, 2)])
        self.assertEqual(again(script, third), [(6, 2)])
        # And back.
        self.assertEqual(again(script, NEW), [(0, 2)])
        self.assertEqual(again(script, OLD), [(1, 2)])
        script.applied(1)
        self.assertIsNone(action.error)

    def test_versions_are_not_chained_by_marks_alone(self) -> None:
        third = schema((5, "reset"), (6, "tallied", "", "Int", ("counted",)))
        with self.assertRaisesRegex(InvalidValue, "no case 'added'"):
            rewritten(OLD, third, {"added": 2})
        complete = schema((5, "reset"), (6, "tallied", "", "Int", ("counted", "added")))
        self.assertEqual(rewritten(OLD, complete, {"added": 2}), {"tallied": 2})

    def test_a_present_name_is_more_certain_than_a_former_one(self) -> None:
        # The old `b` is the new `b`, although the new `a` had the name of the old `a`... and so had none of `b`.
        swapped = schema((0, "b", "", "Int"), (1, "c", "", "Int", ("a",)))
        old = schema((0, "a", "", "Int"), (1, "b", "", "Int"))
        self.assertEqual(rewritten(old, swapped, {"a": 1}), {"c": 1})
        self.assertEqual(rewritten(old, swapped, {"b": 1}), {"b": 1})
        # A mark that names what the other side still has means nothing.
        kept = schema((0, "a", "", "Int"), (1, "b", "", "Int", ("x",)))
        marked = schema((0, "x", "", "Int", ("a",)), (1, "b", "", "Int"))
        self.assertEqual(rewritten(kept, marked, {"b": 1}), {"b": 1})

    def test_a_name_that_fits_two_is_refused_and_named_and_others_are_sent(self) -> None:
        # By its own mark the case was `p`, and by the new one's it is `y` now.
        old = schema((0, "x", "", "Int", ("p",)), (1, "reset"))
        new = schema((0, "p", "", "Int"), (1, "y", "", "Int", ("x",)), (2, "reset"))
        with self.assertRaisesRegex(InvalidValue, "'x' of Action may be 'p' or 'y'"):
            rewritten(old, new, {"x": 1})
        self.assertEqual(rewritten(old, new, "reset"), "reset")
        # One of the new schema's that two of the old one claim.
        old = schema((0, "x", "", "Int"), (1, "y", "", "Int"))
        new = schema((0, "z", "", "Int", ("x", "y")))
        for name in ("x", "y"):
            with self.assertRaisesRegex(InvalidValue, "'x' or 'y' of Action may be 'z'"):
                rewritten(old, new, {name: 1})

    def test_a_renamed_case_with_other_values_is_another_one(self) -> None:
        for values in ((), ("by", "Int"), ("", "Int", "", "Int"), ("", "String")):
            with self.subTest(values=values), self.assertRaises(InvalidValue):
                rewritten(OLD, schema((0, "counted", *values, ("added",))), {"added": 2})

    def test_fields_at_any_depth_are_renamed(self) -> None:
        def version(case: Item, *fields: Item) -> tuple[Item, ...]:
            return schema(case, more=(struct("Edit", *fields), ("Kind", 1, *kinds[len(fields[0]) > 4])))

        kinds = {False: ((0, "plain"), (1, "bold")), True: ((0, "strong", ("bold",)), (1, "plain"))}
        old = version((0, "edit", "", 2), (0, "text", "String", False), (1, "kind", 3, True))
        new = version((0, "edit", "", 2), (0, "body", "String", False, ("text",)), (1, "kind", 3, True))
        self.assertEqual(
            rewritten(old, new, {"edit": {"text": "a", "kind": "bold"}}), {"edit": {"body": "a", "kind": "strong"}})
        for container, value, result in (
            (("Array", 2), ({"text": "a", "kind": "bold"},), ({"body": "a", "kind": "strong"},)),
            (("Optional", 2), {"text": "a", "kind": "plain"}, {"body": "a", "kind": "plain"}),
            (("Dictionary", "Int", ("Array", 3)), {1: ("bold",)}, {1: ("strong",)}),
            (("Set", 3), frozenset({"bold", "plain"}), frozenset({"strong", "plain"})),
        ):
            with self.subTest(container=container):
                pair = [version((0, "edit", "", container), *fields) for fields in (
                    ((0, "text", "String", False), (1, "kind", 3, True)),
                    ((0, "body", "String", False, ("text",)), (1, "kind", 3, True)))]
                self.assertEqual(rewritten(*pair, {"edit": value}), {"edit": result})

    def test_types_that_contain_themselves_are_followed(self) -> None:
        old = schema((0, "put", "", 2), more=(("Tree", 1, (0, "leaf"), (1, "node", "", 2)),))
        new = schema((0, "put", "", 2), more=(("Tree", 1, (0, "branch", "", 2, ("node",)), (1, "leaf")),))
        self.assertEqual(rewritten(old, new, {"put": {"node": {"node": "leaf"}}}), {"put": {"branch": {"branch": "leaf"}}})

    def test_a_change_that_merges_is_not_sent_with_keys_of_another_schema(self) -> None:
        # The bytes of such a change are the program's own: its keys are those of the schema for which it was made.
        old = schema((0, "merge", "", ("Change", 2)), more=(struct("Note", (0, "title", "String", True), (1, "body", "String", True)),))
        same = schema((3, "merge", "", ("Change", 2)), more=old[4:])
        other = schema((0, "merge", "", ("Change", 2)), more=(struct("Note", (0, "body", "String", True), (1, "title", "String", True)),))
        value = {"merge": Map([(0, "a title")])}
        self.assertEqual(rewritten(old, same, value), value)
        with self.assertRaises(InvalidValue):
            rewritten(old, other, value)

    def test_an_action_stays_as_it_was_taken(self) -> None:
        script = Script()
        live(script, OLD)
        value = {"added": 2}
        script.core.begin(value)
        script.collect()
        value["added"] = 3
        self.assertEqual(again(script, NEW), [(0, 2)])

    def test_what_the_hub_has_processed_is_never_sent_in_the_old_form(self) -> None:
        # It has processed the action, is upgraded, and loses it again, because it was not stored yet.
        script = Script()
        live(script, OLD)
        first, second = script.core.begin({"added": 2}), script.core.begin("reset")
        script.collect()
        self.assertEqual(again(script, NEW, processed=2), [])
        self.assertEqual(again(script, NEW, processed=0), [(0, 2), 1])
        # One that the new schema does not have fails as soon as it is certain that it had no effect.
        self.assertEqual(again(script, schema((0, "counted", "", "Int")), processed=2), [])
        self.assertFalse(second.is_done)
        self.assertEqual(again(script, NEW, processed=1), [])
        self.assertIsInstance(second.error, InvalidValue)
        script.applied(1)
        self.assertEqual((first.is_done, first.error, script.core.pending), (True, None, 0))

    def test_a_schema_for_which_there_are_no_types_does_not_become_that_of_the_actions(self) -> None:
        script = Script()
        live(script, OLD)
        script.core.begin({"added": 2})
        script.collect()
        for _ in range(2):
            self.assertEqual(again(script, schema((0, "reset"), (1, "other", "", ("Optional", "Int", "Int")))), [])
            self.assertTrue(script.core.wants_close)
        self.assertEqual(again(script, NEW), [(0, 2)])

    def test_many_pairs_of_types_end(self) -> None:
        # Two circles whose lengths have no common divisor: each of the types of one meets each of the other.
        def circle(count: int, mark: bool) -> Schema:
            types = [(f"T{one}", 1, (0, "end", ("stop",)) if mark else (0, "stop"), (1, "on", "", one + 1 if one + 1 < count else 0))
                     for one in range(count)]  # fmt: skip
            return Schema(_cbor.encoded((0, 0, *types)))

        named = named_by(circle(300, True), circle(299, False))
        self.assertLess(len(named.schema.definitions), 100_000)
        self.assertEqual(named.schema.definitions[0].cases[0].name, "stop")  # type: ignore[union-attr]
        old, new = (_cbor.decoded(circle(*each).data) for each in ((150, False), (149, True)))
        with self.assertRaisesRegex(InvalidValue, "no case 'stop'"):
            rewritten(old, new, {"on": "stop"})

    def test_a_large_circle_of_types_is_read_at_once(self) -> None:
        # In time that grows with its square, this would take a minute.
        count = 20_000
        types = [(f"T{one}", 0, (), (0, "next", ("Optional", (one + 1) % count), True)) for one in range(count)]
        self.assertEqual(len(recursive_definitions(Schema(_cbor.encoded((0, "Never", *types))))), count)


class Outboxes(unittest.TestCase):
    def test_the_next_process_sends_under_the_new_name(self) -> None:
        script = Process()
        live(script, OLD)
        script.core.begin({"added": 2})
        script.core.begin("reset")
        script.collect()
        following = Process(script.contents)
        self.assertEqual(live(following, NEW, resumed=True, processed=0), [(0, 2), 1])
        # Nor is it converted twice by one after that.
        last = Process(following.contents)
        self.assertEqual(live(last, NEW, resumed=True, processed=1), [1])
        last.applied(2)
        self.assertEqual([one.value for one in (event.action for event in last.events if hasattr(event, "action"))], [{"counted": 2}, "reset"])
        self.assertEqual(last.outcomes(), [(1, None), (2, None)])
        self.assertEqual(last.numbers(), [])

    def test_a_file_keeps_the_marks_for_the_way_back(self) -> None:
        script = Process()
        live(script, NEW)
        script.core.begin({"counted": 2})
        script.collect()
        self.assertEqual(live(Process(script.contents), OLD, resumed=True), [(1, 2)])

    def test_what_the_hub_has_processed_is_stored_in_the_form_of_the_new_schema(self) -> None:
        script = Process()
        live(script, OLD)
        script.core.begin({"added": 2})
        script.collect()
        following = Process(script.contents)
        # Processed and not stored yet: there is no outcome when the client ends.
        self.assertEqual(live(following, NEW, resumed=True, processed=1), [])
        self.assertEqual(live(Process(following.contents), NEW, resumed=True, processed=0), [(0, 2)])

    def test_an_action_that_an_earlier_program_could_not_convert_fails_and_leaves_no_gap(self) -> None:
        # So the Swift client stores it.
        data = _cbor.encoded(OLD)
        contents = Contents(data, Session(SESSION, 5, 0, 2), (
            StoredAction(1, _cbor.encoded((1, 2))), StoredAction(2, b""), StoredAction(3, b""), StoredAction(4, _cbor.encoded(0))))
        for described in (OLD, NEW):
            script = Process(contents)
            self.assertEqual(len(live(script, described, resumed=True)), 2)
            errors = [event.action.error for event in script.events if hasattr(event, "action")]
            self.assertEqual([type(error) for error in errors], [InvalidValue, InvalidValue])
            self.assertEqual(script.numbers(), [1, 4])
        # The hub may have processed it.
        script = Process(contents)
        self.assertEqual(len(live(script, OLD, resumed=True, processed=2)), 1)
        script.say(wire.REJECTED, (2, 6, "no"))
        script.applied(3)
        self.assertEqual([(number, type(error)) for number, error in script.outcomes()],
                         [(0, InvalidValue), (2, Rejected), (1, type(None)), (3, type(None))])  # fmt: skip

    def test_an_unreadable_file_with_a_hub_of_the_same_fingerprint_leaves_no_gap(self) -> None:
        data = _cbor.encoded(OLD)
        contents = Contents(data, Session(SESSION, 5, 0, 0), (StoredAction(1, b""), StoredAction(2, _cbor.encoded((1, 2)))))
        script = Process(contents)
        frames = script.say(wire.WELCOME, Map([(0, 1), (1, SESSION), (2, True), (3, 0), (6, Schema(data).fingerprint), (7, 5)]))
        self.assertEqual(numbers(frames), [(1, 0, 1)])
        self.assertEqual(actions(frames), [(1, 2)])


class Schemas(unittest.TestCase):
    def read(self, *cases: Item) -> Schema:
        return Schema(_cbor.encoded(schema(*cases)))

    def test_former_names_are_no_part_of_the_fingerprint(self) -> None:
        bare = self.read((0, "counted", "", "Int"), (1, "reset"))
        marked = self.read((0, "counted", "", "Int", ("added", "summed")), (1, "reset"))
        self.assertEqual(marked.fingerprint, bare.fingerprint)
        self.assertNotEqual(marked.data, bare.data)
        item = schema()[:2] + (struct("State", (0, "total", "Int", True, ("count",))), schema()[3])
        bare_item = schema()[:2] + (struct("State", (0, "total", "Int", True)), schema()[3])
        self.assertEqual(Schema(_cbor.encoded(item)).fingerprint, Schema(_cbor.encoded(bare_item)).fingerprint)

    def test_hostile_former_names_are_no_schema(self) -> None:
        for cases in (
            ((0, "a", ("x",)), (1, "b", ("x",))), ((0, "a", ("b",)), (1, "b")), ((0, "a", ("a",)),), ((0, "a", ("x", "x")),),
            ((0, "a", ()),), ((0, "a", "x"),), ((0, "a", (1,)),), ((0, "a", (("x",),)),), ((0, "a", tuple(map(str, range(65)))),),
            ((0, "a", "", "Int", Map([])),), ((1, "a"), (0, "b")), ((0, "a"), (0, "b")), ((0, "a"), (1, "a")),
        ):  # fmt: skip
            with self.subTest(cases=cases), self.assertRaises(ProtocolError):
                self.read(*cases)
            with self.subTest(fields=cases), self.assertRaises(ProtocolError):
                fields = [(one[0], one[1], "Int", True, *one[2:]) for one in cases]
                Schema(_cbor.encoded((*schema()[:2], struct("State", *fields), schema()[3])))
        self.read((0, "a", tuple(map(str, range(64)))))


class Generated(unittest.TestCase):
    """Generated types of an older version with a hub in which names are others."""

    OLD = (0, 1, struct("State", (0, "count", "Int", False)), ("Action", 1, (0, "reset"), (1, "added", "", "Int")))
    NEW = (0, 1, struct("State", (0, "note", "String", True), (4, "total", "Int", False, ("count",))),
           ("Action", 1, (0, "counted", "", "Int", ("added",)), (1, "reset")))  # fmt: skip

    def model(self) -> tuple[Model, type, type]:
        def initialise(self: Any, count: int) -> None:
            self.count = count

        def take(self: Any, value: int) -> None:
            self.value = value

        state, added = type("State", (), {"__init__": initialise}), type("Added", (), {"__init__": take})
        reset = type("Reset", (), {})
        model = Model(_cbor.encoded(self.OLD))
        model.bind([StructBinding(state, {"count": "count"}),
                    EnumBinding({"reset": CaseBinding(reset), "added": CaseBinding(added, ["value"])})])  # fmt: skip
        return model, state, added

    def test_they_are_bound_by_former_names(self) -> None:
        model, state, added = self.model()
        script = Script()
        part = script.core.attach(PlainPath(("count",), model))
        live(script, self.NEW)
        script.snapshot(1, 5)
        self.assertEqual(part.value, 5)
        self.assertEqual(part.steps, [4])
        script.core.begin(added(2))
        self.assertEqual(actions(script.collect()), [(0, 2)])
        whole = Types(Schema(_cbor.encoded(self.NEW)), model).state
        value = whole.read(Reader(_cbor.encoded(Map([(0, "n"), (4, 7)]))))
        self.assertEqual((type(value), value.count), (state, 7))

    def test_a_name_that_fits_two_is_refused(self) -> None:
        model, _, _ = self.model()
        doubtful = (*self.NEW[:2], struct("State", (0, "total", "Int", False, ("count",))), ("Action", 1, (0, "b", ("reset", "added"))))
        with self.assertRaisesRegex(SchemaMismatch, "'reset' or 'added' of Action may be 'b'"):
            Types(Schema(_cbor.encoded(doubtful)), model)

    def test_plain_names_are_those_of_the_hub(self) -> None:
        script = Script()
        live(script, NEW)
        with self.assertRaises(InvalidValue):
            script.core.begin({"added": 2})
        part = script.core.attach(parsed("amount"))
        self.assertIsNotNone(part.error)
