"""Deterministic CBOR (PROTOCOL.md, 5)."""

from __future__ import annotations

import math
import random
import struct
import unittest

from storehub._cbor import Item, Map, NaN, Reader, decoded, encoded
from storehub.errors import InvalidValue, ProtocolError

try:
    import cbor2
except ImportError:
    cbor2 = None


class Writing(unittest.TestCase):
    def test_each_value_has_the_bytes_of_rfc_8949(self) -> None:
        """Appendix A, as far as it is deterministic and has the types of the protocol."""
        for value, data in [
            (0, "00"), (23, "17"), (24, "1818"), (100, "1864"), (1000, "1903e8"), (1000000, "1a000f4240"),
            (1000000000000, "1b000000e8d4a51000"), (18446744073709551615, "1bffffffffffffffff"),
            (18446744073709551616, "c249010000000000000000"), (-18446744073709551616, "3bffffffffffffffff"),
            (-18446744073709551617, "c349010000000000000000"), (-1, "20"), (-1000, "3903e7"), (0.0, "f90000"),
            (-0.0, "f98000"), (1.0, "f93c00"), (1.1, "fb3ff199999999999a"), (1.5, "f93e00"), (65504.0, "f97bff"),
            (100000.0, "fa47c35000"), (3.4028234663852886e38, "fa7f7fffff"), (1.0e300, "fb7e37e43c8800759c"),
            (5.960464477539063e-08, "f90001"), (math.inf, "f97c00"), (-math.inf, "f9fc00"), (False, "f4"), (True, "f5"),
            (None, "f6"), (b"", "40"), (b"\1\2\3\4", "4401020304"), ("", "60"), ("IETF", "6449455446"), ("\u00fc", "62c3bc"),
            ((), "80"), ((1, 2, 3), "83010203"), (Map(()), "a0"), (Map([(1, 2), (3, 4)]), "a201020304"),
        ]:  # fmt: skip
            with self.subTest(value=value):
                self.assertEqual(encoded(value).hex(), data)
                self.assertEqual(decoded(bytes.fromhex(data)), value)

    def test_keys_are_in_the_order_of_their_bytes(self) -> None:
        self.assertEqual(encoded(Map([(-1, 0), (256, 1), ("", 2), (10, 3)])).hex(), "a40a031901000120006002")

    def test_a_nan_keeps_its_bits(self) -> None:
        for data in ("f97e00", "f9fe00", "f97e01", "fa7fc00001", "fbfff8000000000001"):
            self.assertEqual(encoded(decoded(bytes.fromhex(data))).hex(), data)
        self.assertIsInstance(decoded(bytes.fromhex("f97e00")), NaN)
        self.assertEqual(encoded(math.nan).hex(), "f97e00")

    def test_an_unpaired_surrogate_is_no_text(self) -> None:
        with self.assertRaises(InvalidValue):
            encoded("\ud800")


class Reading(unittest.TestCase):
    def test_other_forms_are_refused(self) -> None:
        for data in (
            "1817", "190017", "1a00000017", "1b0000000000000017", "5f4100ff", "9f00ff", "bf0000ff", "7f6100ff", "fa3f800000",
            "fb3ff8000000000000", "fa7fc00000", "a201020102", "a203040102", "62c328", "c24101", "c2490001000000000000000000",
            "f7", "f816", "1c", "ff", "8101ff", "", "61", "8201", "c1fb41d452d9e20000000", "9bffffffffffffffff", "d82a00",
        ):  # fmt: skip
            with self.subTest(data=data), self.assertRaises((ProtocolError, ValueError)):
                decoded(bytes.fromhex(data))

    def test_the_depth_is_limited(self) -> None:
        self.assertIsNotNone(decoded(b"\x81" * 319 + b"\x00"))
        with self.assertRaises(ProtocolError):
            decoded(b"\x81" * 320 + b"\x00")
        with self.assertRaises(ProtocolError):
            Reader(b"\xc1" * 320 + b"\x00").skip()

    def test_random_bytes_raise_nothing_else(self) -> None:
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        for _ in range(3000):
            data = draw.randbytes(draw.randrange(40))
            for read in (lambda: decoded(data), lambda: Reader(data).skip()):
                try:
                    read()
                except ProtocolError:
                    pass
                except Exception as error:
                    self.fail(f"seed {seed}: {data.hex()} raises {error!r}")

    @unittest.skipIf(cbor2 is None, "cbor2 is not installed")
    def test_an_independent_implementation_reads_the_same(self) -> None:
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        for _ in range(500):
            value = random_item(draw, 4)
            data = encoded(value)
            self.assertEqual(plain(value), plain_cbor2(cbor2.loads(data)), f"seed {seed}: {data.hex()}")
            self.assertEqual(encoded(decoded(data)), data, f"seed {seed}")


def random_item(draw: random.Random, depth: int) -> Item:
    kind = draw.randrange(9 if depth else 7)
    if kind == 0:
        return draw.choice([None, True, False])
    if kind in (1, 2):
        return draw.randrange(-(1 << draw.choice([3, 9, 33, 63, 80])), 1 << draw.choice([3, 9, 33, 63, 80]))
    if kind == 3:
        return struct.unpack(">e", struct.pack(">H", draw.randrange(0x7C00)))[0]
    if kind == 4:
        return draw.uniform(-1e9, 1e9)
    if kind == 5:
        return draw.randbytes(draw.randrange(30))
    if kind == 6:
        return "".join(draw.choice("ab\u00e9\U0001f600") for _ in range(draw.randrange(30)))
    if kind == 7:
        return tuple(random_item(draw, depth - 1) for _ in range(draw.randrange(5)))
    keys = {str(draw.randrange(1000)) for _ in range(draw.randrange(5))}
    return Map((key, random_item(draw, depth - 1)) for key in keys)


def plain(value: Item) -> object:
    if isinstance(value, Map):
        return {key: plain(item) for key, item in value.pairs}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def plain_cbor2(value: object) -> object:
    if isinstance(value, dict):
        return {key: plain_cbor2(item) for key, item in value.items()}
    return [plain_cbor2(item) for item in value] if isinstance(value, (list, tuple)) else value


if __name__ == "__main__":
    unittest.main()
