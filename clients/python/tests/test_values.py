"""What is not of a type is refused, and nothing is written as something else."""

from __future__ import annotations

import unittest
from typing import Any

from storehub import _cbor
from storehub._cbor import Map
from storehub._json import from_json
from storehub._types import (
    ArrayType,
    Case,
    DateType,
    DictionaryType,
    DurationType,
    EnumType,
    Field,
    FloatType,
    IdentifiedType,
    IntegerType,
    OpaqueType,
    SetType,
    StackType,
    TextStateType,
    TextType,
    Type,
    URLType,
)
from storehub.errors import InvalidValue
from storehub.values import Duration, RelativeURL, TextState

TEXT, BYTE, OPAQUE = TextType("String"), IntegerType("UInt8", 0, 255), OpaqueType("Change")


def choice() -> EnumType:
    kind = EnumType("Choice", False)
    kind.complete([Case(0, "two", [Field(0, "", None, TEXT, False), Field(1, "", None, TEXT, False)], None)], False)
    return kind


class Refusals(unittest.TestCase):
    def refuse(self, kind: Type, *values: Any) -> None:
        for value in values:
            with self.subTest(kind=kind.name, value=value), self.assertRaises(InvalidValue):
                kind.encoded(value)

    def test_what_has_no_order_or_is_a_string_is_no_array(self) -> None:
        others = ({"a": 1}, {"a"}, frozenset("a"), {"a": 1}.keys(), "a", iter(["a"]), (text for text in "a"), None, 5)
        for kind in (ArrayType(TEXT), IdentifiedType("IdentifiedArray", TEXT, TEXT), StackType(TEXT)):
            self.refuse(kind, *others)
        self.refuse(ArrayType(BYTE), b"a", bytearray(b"a"), memoryview(b"a"))
        self.refuse(choice(), *({"two": value} for value in ({"a": 1, "b": 2}, {"a", "b"}, "ab", b"ab", bytearray(b"ab"))))

    def test_values_without_labels_are_named_by_their_places(self) -> None:
        for labels, text in ((("", "lease"), "_0, lease"), (("", ""), "_0, _1")):
            kind = EnumType("Choice", False)
            kind.complete([Case(0, "two", [Field(key, label, None, TEXT, False) for key, label in enumerate(labels)], None)], False)
            for payload in ({"lease": "a"}, {"": "a", "lease": "b"}, {"_0": "a", "lease": "b"}, {}):
                with self.subTest(labels=labels, payload=payload), self.assertRaisesRegex(
                    InvalidValue, f"the case 'two' of Choice has the values {text} in order: give a tuple"
                ):
                    kind.encoded({"two": payload})
            self.assertEqual(kind.encoded({"two": ("a", "b")}), _cbor.encoded((0, "a", "b")))

    def test_an_item_of_any_type_is_one_of_cbor(self) -> None:
        self.refuse(
            OPAQUE, {"set": ["a"]}, {}, {"a"}, frozenset("a"), iter(["a"]), {"a": 1}.items(), object(), [{"a": 1}],
            Map([("a", {"b": 1})]), Map({"ab": 1}), Map([("a", 1, 2)]), Map([("a", 1), ("a", 2)]), Map([5]))  # type: ignore[arg-type, list-item]
        for given, written in ((["a", ("b",)], ("a", ("b",))), (bytearray(b"ab"), b"ab"), (Map([("b", 1), ("a", [])]),) * 2):
            self.assertEqual(OPAQUE.encoded(given), _cbor.encoded(written))  # type: ignore[arg-type]
        with self.assertRaisesRegex(InvalidValue, r"\{'set': \['a'\]\} is no CBOR item: .* a map a storehub.Map"):
            OPAQUE.encoded({"set": ["a"]})

    def test_an_item_is_not_nested_deeper_than_it_is_read(self) -> None:
        # The next process reads it from the outbox.
        for around in (lambda item: (item,), lambda item: Map([(0, item)])):
            item: Any = 0
            for _ in range(_cbor.MAXIMUM_DEPTH - 1):
                item = around(item)
            self.assertEqual(OPAQUE.encoded(_cbor.decoded(OPAQUE.encoded(item))), OPAQUE.encoded(item))
            with self.assertRaisesRegex(InvalidValue, "nested too deep"):
                OPAQUE.encoded(around(item))

    def test_a_set_has_members_that_can_be_read_again(self) -> None:
        # Another hub may have another schema, for which the action is written again.
        self.refuse(SetType(TEXT), {"a": 1}, "a", iter(["a"]), (text for text in "a"), None, 5)
        self.refuse(SetType(BYTE), b"a", bytearray(b"a"), memoryview(b"a"))
        for value in ({"b", "a"}, frozenset("ab"), ["b", "a"], ("a", "b")):
            self.assertEqual(SetType(TEXT).encoded(value), _cbor.encoded(("a", "b")))

    def test_a_dictionary_has_each_key_once(self) -> None:
        kind = DictionaryType(TEXT, TEXT)
        self.refuse(kind, "", b"", ["ab"], [("a", "b", "c")], [("a", "b"), ("a", "c")], {"ab"}, zip("a", "b"), None, 5, [5])
        for value in ({"a": "b"}, [("a", "b")], (["a", "b"],)):
            self.assertEqual(kind.encoded(value), _cbor.encoded(Map([("a", "b")])))

    def test_parts_of_values_have_types_too(self) -> None:
        self.refuse(DurationType(), Duration(1.0), Duration(1, 0.5), Duration("1"), Duration(True))  # type: ignore[arg-type]
        self.refuse(URLType(), RelativeURL(5, "x"), RelativeURL("x", None))  # type: ignore[arg-type]
        self.refuse(
            TextStateType(), TextState("ab"), TextState(("ab",)), TextState(((5, Map(())),)), TextState((("a", {}),)),  # type: ignore[arg-type]
            TextState(None))  # type: ignore[arg-type]

    def test_a_float_is_equal_to_what_was_given(self) -> None:
        double, single, date = FloatType("Double", (3, 5, 9)), FloatType("Float", (3, 5)), DateType()
        for kind in (double, single, date):
            self.refuse(kind, 10**400, -(10**400), 2**60 + 1, -(2**53) - 1, True, "1", None)
        self.refuse(single, 2**24 + 1, 0.1)
        for kind, number in ((double, 2**60), (double, 2**53 - 1), (double, -(2**1023)), (single, 2**24), (date, 2**40 + 1)):
            self.assertEqual(kind.encoded(number), _cbor.encoded(float(number)))

    def test_an_integer_too_long_for_text_is_refused(self) -> None:
        for kind in (BYTE, TEXT, FloatType("Double", (3, 5, 9))):
            with self.subTest(kind=kind.name), self.assertRaisesRegex(InvalidValue, f"a value of <class 'int'> is .* {kind.name}"):
                kind.encoded(10**5000)

    def test_what_is_nested_too_deep_for_text_is_refused_at_its_place(self) -> None:
        deep: Any = "x"
        for _ in range(10_000):
            deep = [deep]
        for kind, given, place in ((TEXT, deep, "a value"), (choice(), {"two": (deep, "a")}, "in two: a value")):
            with self.subTest(kind=kind.name), self.assertRaisesRegex(InvalidValue, f"^{place} of <class 'list'> is not"):
                kind.encoded(given)

    def test_json_of_another_form_is_not_made_to_fit(self) -> None:
        arrays: tuple[Type, ...] = (ArrayType(TEXT), SetType(TEXT), StackType(TEXT))
        for kind, given in (
            *((kind, given) for kind in arrays for given in ("ab", {"a": "b"}, 5, None)),
            *((DictionaryType(TEXT, TEXT), given) for given in ("ab", ["ab"], [["a", "b", "c"]], 5, None)),
            *((choice(), {"two": given}) for given in ("ab", {"a": 1, "b": 2}, 5, None)), (StackType(TEXT), ["ab"]),
        ):  # fmt: skip
            with self.subTest(kind=kind.name, given=given), self.assertRaises(InvalidValue):
                kind.encoded(from_json(kind, given))


if __name__ == "__main__":
    unittest.main()
