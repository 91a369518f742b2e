"""Generated types: with a real hub, with hubs of other versions, and values of every kind of type."""

from __future__ import annotations

import datetime
import decimal
import importlib.util
import sys
import unittest
import uuid
from types import ModuleType
from typing import Any

import storehub
from storehub import _cbor
from storehub._cbor import Reader
from storehub.errors import InvalidValue, SchemaMismatch
from storehub.schema import Model, Schema, Types

from .generated import app
from .golden import FOLDER
from .hubs import HubProcess


class WithHub(unittest.IsolatedAsyncioTestCase):
    async def test_parts_and_actions_have_types(self) -> None:
        with HubProcess(journal=False) as process:
            async with storehub.connect(process.socket) as hub:
                todos = await hub.attach(app.State.todos)
                await hub.send(app.todos.add_button_tapped("oat milk"))
                await hub.send(app.todos.add_button_tapped("bread"))
                await hub.send(app.todos.todos.element(0).completion_changed(True))
                expected = [
                    app.TodoState(id=0, text="oat milk", is_complete=True),
                    app.TodoState(id=1, text="bread", is_complete=False),
                ]
                self.assertEqual(todos.value.todos, expected)
                self.assertEqual(todos.value.next_id, 2)
                self.assertTrue(await todos.verify())
                text = await hub.attach(app.State.todos.todos[1].text)
                self.assertEqual(text.value, "bread")
                newest = await hub.attach(app.State.todos.todos[-1:])
                self.assertEqual(newest.value.elements[0], expected[1])
                await hub.send(app.todos.restored(app.TodoState(id=1, text="x", is_complete=False), None))
                # One state has an enum's case, an optional and a prompt's action.
                await hub.send(app.favourites.view.favourites_button_tapped())
                favourites = await hub.attach(app.State.favourites)
                assert isinstance(favourites.value.destination, app.FavouriteNumbersDestinationStateFavourites)
                await hub.send(app.favourites.destination.dismiss())
                self.assertIsNone(favourites.value.destination)
                self.assertTrue(await favourites.verify())
                # Both kinds of values at once.
                await hub.send({"counter": "incrementButtonTapped"})
                with self.assertRaises(InvalidValue):
                    await hub.send(app.CounterActionIncrementButtonTapped())


class OtherVersions(unittest.TestCase):
    """The model against hubs whose schema differs."""

    def changed(self, change: Any) -> Schema:
        item = _cbor.decoded(app.MODEL.schema.data)
        return Schema(_cbor.encoded(change(item)))

    @staticmethod
    def definition(item: Any, name: str, change: Any) -> Any:
        return tuple(change(one) if isinstance(one, tuple) and one[0] == name else one for one in item)

    def test_a_further_field_is_dropped_and_hashes_are_not_compared(self) -> None:
        schema = self.changed(
            lambda item: self.definition(item, "Todo.State", lambda one: (*one, (9, "note", "String", True))))
        types = Types(schema, app.MODEL)
        self.assertFalse(types.state.is_exact)
        plain = Types(schema)
        todo = {"id": 1, "text": "x", "isComplete": False, "note": "n"}
        state = {"todos": {"todos": [todo], "nextID": 2}}
        read = types.state.read(Reader(plain.state.encoded({**defaults(), **state})))
        self.assertEqual(read.todos.todos[0], app.TodoState(id=1, text="x", is_complete=False))

    def test_other_keys_are_mapped_by_name(self) -> None:
        def move(one: Any) -> Any:
            name, kind, path, *fields = one
            return (name, kind, path, *((key + 3, *rest) for key, *rest in fields))

        schema = self.changed(lambda item: self.definition(item, "Counter.State", move))
        read = Types(schema, app.MODEL).state.read(Reader(Types(schema).state.encoded(defaults())))
        self.assertEqual(read.counter.count, 0)

    def test_what_the_types_need_and_the_hub_lacks_is_named(self) -> None:
        for change, text in (
            (lambda one: (*one[:3], *[field for field in one[3:] if field[1] != "text"]), "has no field 'text'"),
            (lambda one: (*one[:3], (0, "id", "String", False), *one[4:]), "the hub has String where .* Int"),
        ):
            schema = self.changed(lambda item, change=change: self.definition(item, "Todo.State", change))
            with self.assertRaisesRegex(SchemaMismatch, text):
                Types(schema, app.MODEL)

    def test_another_feature_is_refused(self) -> None:
        other = Schema(_cbor.encoded((0, "Never", ("Other", 0, (), (0, "x", "Int", False)))))
        with self.assertRaisesRegex(SchemaMismatch, "another feature"):
            Types(other, app.MODEL)


class EveryType(unittest.TestCase):
    """Tests/Golden/generated/everything.py, which the generator's tests write."""

    def test_values_of_every_type_are_written_and_read_again(self) -> None:
        it = load("everything.py")
        model: Model = it.MODEL
        types = Types(model.schema, model)
        moment = storehub.Date.of(datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc))
        point = it.EverythingPoint(x=1, y=-2)
        values = it.EverythingValues(
            date=moment, uuid=uuid.UUID(int=7), data=b"\0\xff", decimal=decimal.Decimal("-12.50"),
            url="https://example.org", duration=storehub.Duration(1, 5), character="\u00e9", colour="red",
            range=storehub.Range(1, 5), closed=storehub.Range(0.5, 1.0), result=storehub.Success(point),
            twice=storehub.Some(None), thrice=(None, storehub.Some(None), storehub.Some(5)),
        )  # fmt: skip
        tree = it.EverythingTree(id=1, branches=storehub.IdentifiedArray([it.EverythingTree(id=2, branches=storehub.IdentifiedArray())]))
        state = it.EverythingState(
            numbers=it.EverythingNumbers(int_=-1, small=127, wide=-(1 << 63), unsigned=(1 << 64) - 1, huge=1 << 100,
                                         float_=0.5, double=1e300, flag=True),
            values=values,
            collections=it.EverythingCollections(
                list=(point,), members=frozenset({point}), by_name={"a": 1}, by_point={point: ("x",)},
                by_flag={True: 1, False: 0}, sets=frozenset({frozenset({1, 2})}),
                trees=storehub.IdentifiedArray([tree]), boxes=it.EverythingBox(value=1, others=(2, 3)), texts=it.EverythingBox2(value="a")),
            keywords=it.EverythingKeywords(class_=1, def_=2, none=3, in_=None, is_true=True, int_=4, str_="s",
                                           constructor="c", next_url_session="u"),
            chain=it.EverythingChainLink(value0=1.5, next=it.EverythingChainEnd()),
            sheet=it.EverythingScreen(id=uuid.UUID(int=1), title="sheet"),
            path=storehub.IdentifiedArray([storehub.StackElement(5, it.EverythingScreen(id=uuid.UUID(int=2), title="first"))]),
            selected=point,
        )  # fmt: skip
        data = types.state.encoded(state)
        read = types.state.read(Reader(data))
        self.assertEqual(read, state)
        self.assertEqual(types.state.encoded(read), data)
        self.assertEqual(types.state.hash(read), types.state.hash(state))
        # Without generated types, the same bytes.
        plain = Types(model.schema)
        self.assertEqual(plain.state.encoded(plain.state.read(Reader(data))), data)

    def test_actions_of_every_form(self) -> None:
        it = load("everything.py")
        types, plain = Types(it.MODEL.schema, it.MODEL), Types(it.MODEL.schema)
        screen = it.EverythingScreen(id=uuid.UUID(int=2), title="pushed")
        for action, form in (
            (it.tapped(), "tapped"), (it.chosen(5), {"chosen": 5}), (it.moved(1, None), {"moved": (1, None)}),
            (it.placed(it.EverythingPoint(x=1, y=2), "green"), {"placed": ({"x": 1, "y": 2}, "green")}),
            (it.import_("c", 3), {"import": {"class": "c", "case": 3}}),
            (it.screen.title_changed("t"), {"screen": {"titleChanged": "t"}}),
            (it.sheet.presented.closed(), {"sheet": {"presented": "closed"}}),
            (it.path.element(7).closed(), {"path": {"element": {"id": 7, "action": "closed"}}}),
            (it.path.push(8, screen), {"path": {"push": {"id": 8, "state": {"id": screen.id, "title": "pushed"}}}}),
            (it.tree(1).branch(2).grown(), {"tree": {"id": 1, "action": {"branch": (2, "grown")}}}),
        ):  # fmt: skip
            with self.subTest(form=form):
                data = types.action.encoded(action)
                self.assertEqual(data, plain.action.encoded(form))
                self.assertEqual(types.action.read(Reader(data)), action)

    def test_paths_lead_to_every_part(self) -> None:
        it = load("everything.py")
        types = Types(it.MODEL.schema, it.MODEL)
        for path, steps in (
            (it.State.collections.trees[3].branches[4], "collections.trees[3].branches[4]"),
            (it.State.selected.x, "selected.x"), (it.State.path[5].title, "path[5].title"),
            (it.State.collections.list[0:3], "collections.list[window 0, 3]"), (it.State.sheet.title, "sheet.title"),
        ):  # fmt: skip
            self.assertEqual(repr(path), steps)
            kind: Any = types.state
            for step in path._steps:
                _, kind = kind.step(step)


def defaults() -> Any:
    return {
        "counter": {"count": 0, "isLoadingFact": False, "isTimerOn": False}, "todos": {"todos": (), "nextID": 0},
        "favourites": {"count": 0, "favourites": (), "isLoadingFact": False},
    }  # fmt: skip


def load(name: str) -> ModuleType:
    """A golden module."""
    spec = importlib.util.spec_from_file_location(name.partition(".")[0], FOLDER / "generated" / name)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    unittest.main()
