"""Checks Tests/Golden against docs/PROTOCOL.md and docs/protocol.cddl, sharing no code with the hub.

Every payload is decoded with cbor2, must be in the deterministic form, say what the notation beside it says, and be valid by the
rule of its kind. Deltas are applied by a reading of section 10 of the protocol, and must give the new value's bytes. Hashes of states are
computed by a reading of its section "State hash" with the xxhash of PyPI.
"""

import io
import math
import pathlib
import re
import struct
import sys
import threading

import cbor2

try:
    import pycddl
except ImportError:
    pycddl = None
try:
    import xxhash
except ImportError:
    xxhash = None

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {
    0x01: "hello", 0x02: "attach", 0x03: "actions", 0x04: "ping", 0x05: "leave", 0x06: "detach", 0x07: "verify",
    0x08: "describe", 0x09: "cancel", 0x0a: "represent", 0x0b: "transfer",
    0x81: "welcome", 0x82: "snapshot", 0x83: "delta", 0x84: "applied", 0x85: "rejected", 0x86: "error",
    0x87: "goodbye", 0x88: "pong", 0x89: "absent", 0x8A: "detached", 0x8B: "hash", 0x8C: "schema",
    0x8D: "bookmark", 0x8E: "released", 0x8F: "standing",
}  # fmt: skip


class Absent(Exception):
    """A change that does not fit its value."""


def fits(condition, what):
    if not condition:
        raise Absent(what)


# Deterministic CBOR by RFC 8949, written from Python's values. Dictionaries stand as lists of pairs in class Map, so that
# keys of any type can be told apart (1, 1.0 and true are one key to Python).


class Map(list):
    pass


def head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 1 << 8 * size:
            return bytes([major << 5 | code]) + argument.to_bytes(size, "big")
    raise ValueError(argument)


def encode(value):
    if isinstance(value, Map):
        pairs = sorted((encode(key), encode(item)) for key, item in value)
        return head(5, len(pairs)) + b"".join(key + item for key, item in pairs)
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[value]
    if isinstance(value, int):
        argument = value if value >= 0 else -1 - value
        if argument < 1 << 64:
            return head(0 if value >= 0 else 1, argument)
        digits = argument.to_bytes((argument.bit_length() + 7) // 8, "big")
        return head(6, 2 if value >= 0 else 3) + head(2, len(digits)) + digits
    if isinstance(value, float):
        for code, form in ((0xF9, ">e"), (0xFA, ">f")):
            try:
                short = struct.pack(form, value)
            except OverflowError:
                continue
            if struct.pack(">d", struct.unpack(form, short)[0]) == struct.pack(">d", value):
                return bytes([code]) + short
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    return head(3, len(value.encode())) + value.encode()


def pairs_of(bytes_):
    """Decodes with cbor2, then turns its dictionaries into maps of pairs."""

    def convert(value):
        if isinstance(value, (list, tuple)):
            return [convert(item) for item in value]
        if hasattr(value, "items"):
            return Map((convert(key), convert(item)) for key, item in value.items())
        return value

    stream = io.BytesIO(bytes_)
    items = []
    while stream.tell() < len(bytes_):
        items.append(convert(cbor2.load(stream)))
    return items


def decode_one(bytes_):
    (value,) = pairs_of(bytes_)
    return value


def holds_empty_list(value):
    if isinstance(value, Map):
        return any(holds_empty_list(key) or holds_empty_list(item) for key, item in value)
    return isinstance(value, list) and (not value or any(map(holds_empty_list, value)))


def notation(value):
    if isinstance(value, Map):
        return "{" + ", ".join(f"{notation(key)}: {notation(item)}" for key, item in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(notation, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", False: "false", True: "true"}[value]
    if isinstance(value, int) and not -(1 << 64) <= value < 1 << 64:
        argument = value if value >= 0 else -1 - value
        return f"{2 if value >= 0 else 3}(h'{argument.to_bytes((argument.bit_length() + 7) // 8, 'big').hex()}')"
    if isinstance(value, bytes):
        return f"h'{value.hex()}'"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return '"' + "".join(f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7F else c for c in escaped) + '"'
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return repr(value)


# Changes, section 10


def find(pairs, key):
    wanted = encode(key)
    for index, (other, _) in enumerate(pairs):
        if encode(other) == wanted:
            return index
    return None


class Schema:
    """A schema, section 11, and what its types make of a change."""

    def __init__(self, encoded):
        (self.state, self.action, *self.definitions) = pairs_of(encoded)[0]

    def apply(self, kind, value, change):
        if not isinstance(change, Map):
            if isinstance(kind, list) and kind[0] == "Dictionary":
                fits(len(change) == 1, "a new dictionary")
                return change[0]
            return change
        if isinstance(kind, int):
            (_, sort, *members) = self.definitions[kind]
            return self.fields(members[1:], value, change) if sort == 0 else self.case(members, value, change)
        name, *parts = kind
        if name in ("Optional", "PresentationState"):
            fits(isinstance(value, list) and change[0][0] == 0, "an optional")
            return [self.apply(parts[0], value[0], change[0][1])]
        if name == "Result":
            fits(change[0][0] == value[0], "a result")
            return [value[0], self.apply(parts[value[0]], value[1], change[0][1])]
        return {
            "Array": self.array, "Set": self.set, "Dictionary": self.dictionary,
            "IdentifiedArray": self.identified, "StackState": self.stack,
        }[name](parts, value, change)  # fmt: skip

    def fields(self, members, value, change):
        types = {key: kind for key, _, kind, _ in members}
        result = Map(value)
        for key, inner in change:
            index = find(result, key)
            if key in types:
                result[index] = (key, self.apply(types[key], result[index][1], inner))
        return result

    def case(self, members, value, change):
        ((key, inner),) = change
        fits(isinstance(value, list) and value[0] == key, "an enum's case")
        (types,) = [payload[1::2] for other, _, *payload in members if other == key]
        if len(types) == 1:
            return [key, self.apply(types[0], value[1], inner)]
        result = list(value)
        for index, part in inner:
            result[index + 1] = self.apply(types[index], result[index + 1], part)
        return result

    def array(self, parts, value, change):
        result = list(value)
        for key, inner in change:
            if key == 0:
                offset, removed, *inserted = inner
                fits(offset + removed <= len(result), "an array's splice")
                result[offset : offset + removed] = inserted
            else:
                for offset, part in inner:
                    result[offset] = self.apply(parts[0], result[offset], part)
        return result

    def set(self, parts, value, change):
        result = {encode(member): member for member in value}
        for key, members in change:
            for member in members:
                fits((encode(member) in result) == (key == 0), "a set's member")
                if key == 0:
                    del result[encode(member)]
                else:
                    result[encode(member)] = member
        return [result[member] for member in sorted(result)]

    def dictionary(self, parts, value, change):
        result = Map(value)
        for key, inner in change:
            for entry in inner:
                index = find(result, entry if key == 0 else entry[0])
                fits((index is None) == (key == 1), "a dictionary's key")
                if key == 0:
                    del result[index]
                elif key == 1:
                    result.append(entry)
                else:
                    result[index] = (entry[0], self.apply(parts[1], result[index][1], entry[1]))
        return result

    def identified(self, parts, value, change, identity=None, update=None):
        identity = identity or (lambda element: self.identity(parts[1], element))
        update = update or (lambda element, part: self.apply(parts[1], element, part))
        result = list(value)

        def index(identifier):
            found = [place for place, element in enumerate(result) if encode(identity(element)) == encode(identifier)]
            fits(found, "an element's id")
            return found[0]

        placed = []
        change = dict(change)
        for identifier in change.get(0, []):
            del result[index(identifier)]
        moved = change.get(1, [])
        for offset, identifier in zip(moved[::2], moved[1::2]):
            placed.append((offset, result.pop(index(identifier))))
        inserted = change.get(2, [])
        placed += zip(inserted[::2], inserted[1::2])
        for place, element in sorted(placed, key=lambda pair: self.offset(pair[0])):
            offset = self.position(place, result, identity)
            fits(offset <= len(result), "an element's offset")
            result.insert(offset, element)
        changed = change.get(3, [])
        for identifier, part in zip(changed[::2], changed[1::2]):
            place = index(identifier)
            result[place] = update(result[place], part)
        return result

    def offset(self, place):
        return place

    def position(self, place, elements, identity):
        return place

    def identity(self, kind, element):
        (_, sort, path, *_) = self.definitions[kind]
        fits(sort == 0 and path, "an element whose id is in the schema")
        for key in path:
            element = element[find(element, key)][1]
        return element

    def stack(self, parts, value, change):
        update = lambda element, part: [element[0], self.apply(parts[0], element[1], part)]
        return self.identified([None, None], value, change, lambda element: element[0], update)


class Merging(Schema):
    """A schema, and what its types make of a change that merges into its own base, section 10.3."""

    def apply(self, kind, value, change):
        if isinstance(kind, list) and kind[:2] == ["raw", "SharedCounter"] and isinstance(change, Map):
            return value + change[0][1]
        return super().apply(kind, value, change)

    def array(self, parts, value, change):
        return value + [element for key, inner in change for element in inner]

    def offset(self, place):
        return place[0]

    def position(self, place, elements, identity):
        _, anchor = place
        if anchor in (0, 1):
            return (0, len(elements))[anchor]
        (position,) = [
            index for index, element in enumerate(elements) if encode(identity(element)) == encode(anchor[0])
        ]
        return position + 1


# Hashes, section 13

PRIME = (1 << 61) - 1
BASE = 0x13C6EF372FE94F8E


def state_hash(schema, kind, value):
    return xxhash.xxh3_64_intdigest(encode(summary(schema, kind, value)))


def identified_summary(hashes):
    total = sum(item * pow(BASE, len(hashes) - 1 - place, PRIME) for place, item in enumerate(hashes)) % PRIME
    return struct.pack("<QQ", len(hashes), total)


def summary(schema, kind, value):
    """The value with its identified arrays replaced, by its type."""
    inside = lambda part, item: summary(schema, part, item)
    if isinstance(kind, int):
        (_, sort, *members) = schema.definitions[kind]
        if sort == 0:
            types = {key: part for key, _, part, _ in members[1:]}
            return Map((key, inside(types[key], item)) for key, item in value)
        if not isinstance(value, list):
            return value
        (types,) = [payload[1::2] for other, _, *payload in members if other == value[0]]
        return [value[0], *map(inside, types, value[1:])]
    if not isinstance(kind, list):
        return value
    name, *parts = kind
    if name == "IdentifiedArray":
        return identified_summary([state_hash(schema, parts[1], item) for item in value])
    if name == "StackState":
        entries = ([identity, inside(parts[0], item)] for identity, item in value)
        return identified_summary([xxhash.xxh3_64_intdigest(encode(entry)) for entry in entries])
    if name in ("Optional", "PresentationState"):
        return value and [inside(parts[0], value[0])]
    if name == "Array":
        return [inside(parts[0], item) for item in value]
    if name == "Dictionary":
        return Map((key, inside(parts[1], item)) for key, item in value)
    if name == "Result":
        return [value[0], inside(parts[value[0]], value[1])]
    return value


# The files


class Checks:
    def __init__(self):
        self.failures = []
        self.frames = self.deltas = self.hashes = self.validated = self.entries = 0
        self.cddl = (ROOT / "docs/protocol.cddl").read_text()
        self.rules = {}
        # By their numbers: whose state, and the path.
        self.scopes = {}

    def fail(self, place, what):
        self.failures.append(f"{place}: {what}")

    def validate(self, place, rule, encoded):
        if pycddl is None:
            return
        if rule not in self.rules:
            self.rules[rule] = pycddl.Schema(f"start = {rule}\n{self.cddl}")
        try:
            self.rules[rule].validate_cbor(encoded)
            self.validated += 1
        except pycddl.ValidationError as error:
            self.fail(place, f"is no {rule}: {error}")

    def bytes(self, place, encoded, text=None):
        items = pairs_of(encoded)
        if b"".join(map(encode, items)) != encoded:
            self.fail(place, "is not in the deterministic form")
        found = ", ".join(map(notation, items))
        if text is not None and found != text:
            self.fail(place, f"means {found}, the notation says {text}")
        return items

    def frame(self, place, direction, fields):
        header = bytes.fromhex(fields["header"])
        length, kind, flags, scope, revision = struct.unpack("<IBBHQ", header)
        payload = bytes.fromhex(fields.get("payload", ""))
        self.frames += 1
        if (kind >= 0x80) != (direction == "<") and kind not in (0x88,):
            self.fail(place, "comes from the wrong side")
        if length > 1 << 20:
            return
        if length != len(payload):
            self.fail(place, f"has {len(payload)} bytes and says {length}")
        if payload:
            items = self.bytes(place, payload, fields["notation"])
        rule = KINDS[kind] + "-payload"
        if kind == 0x02:
            attach = dict(items[0])
            self.scopes[scope] = (attach.get(2, 0), attach.get(0, []))
        if kind == 0x8C:
            # Not by the CDDL; see below.
            return
        if kind == 0x03:
            # In two parts: pycddl 0.6 wants an array with a repetition at its end to have exactly one more item.
            self.validate(place, "[actions-head]", encode(items[:2]))
            for action in items[2:]:
                self.validate(place, "action", encode(action))
        elif payload and fields["notation"] != "null":
            self.validate(place, rule, payload)
        if kind == 0x82 and flags & 1:
            self.bytes(place, items[0][2], fields["state"])
            root, path = self.scopes[scope]
            if path and holds_empty_list(decode_one(items[0][2])):
                # pycddl 0.6 does not return from an empty array under a rule that contains itself.
                return
            self.validate(place, ("app-state", "hub-state")[root] if not path else "value", items[0][2])

    def delta(self, place, fields, key, rule, kind):
        old, new, change = (self.bytes(place, bytes.fromhex(fields[name])) for name in ("old", "new", key))
        self.bytes(place, bytes.fromhex(fields[key]), fields["notation"])
        # pycddl 0.6 does not return from an empty array under a rule that contains itself.
        if not holds_empty_list(change[0]):
            self.validate(place, rule, bytes.fromhex(fields[key]))
        self.deltas += 1
        try:
            schema = kind(self.schema)
            result = schema.apply(schema.state, old[0], change[0])
        except (Absent, ValueError, TypeError, KeyError, IndexError) as error:
            return self.fail(place, f"cannot be applied: {error!r}")
        if encode(result) != bytes.fromhex(fields["new"]):
            self.fail(place, f"gives {notation(result)} and not {notation(new[0])}")

    def hash(self, place, fields):
        (value,) = self.bytes(place, bytes.fromhex(fields["value"]))
        if xxhash is None:
            return
        schema = Schema(self.schema)
        found = encode(summary(schema, schema.state, value))
        if found.hex() != fields["summary"]:
            self.fail(place, f"has the summary {found.hex()}")
        if f"{xxhash.xxh3_64_intdigest(found):016x}" != fields["hash"]:
            self.fail(place, f"has the hash {xxhash.xxh3_64_intdigest(found):016x}")
        self.hashes += 1

    def file(self, path):
        start, fields = None, {}
        for number, line in enumerate(path.read_text().split("\n") + [""], 1):
            if line.startswith("  "):
                key, _, content = line.strip().partition(": ")
                fields[key] = content
                continue
            if start:
                place = f"{path.relative_to(ROOT)}:{start[0]}"
                if start[1] in "<>":
                    self.frame(place, start[1], fields)
                elif "schema" in fields:
                    self.schema = bytes.fromhex(fields["schema"])
                    self.bytes(place, self.schema, fields["notation"])
                    # Not by the CDDL: pycddl 0.6 cannot match [name, + type] inside of itself. The deltas use it.
                elif "delta" in fields:
                    self.delta(place, fields, "delta", "change", Schema)
                elif "change" in fields:
                    self.delta(place, fields, "change", "merge", Merging)
                elif "hash" in fields:
                    self.hash(place, fields)
            start, fields = (number, line[0]) if line else None, {}

    def log(self, path):
        """A cluster's log: every value, and the checksums that chain the entries."""
        previous, key = bytes(8), None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(ROOT)}:{number}"
            if line.startswith("@ "):
                key = line[2:]
            elif line.startswith("  value: "):
                value = bytes.fromhex(line[9:])
            elif line.startswith("  notation: "):
                item = self.bytes(place, value, line[12:])[0]
                rule = {"history": "log-history", "leader": "leadership"}.get(key, "log-entry")
                self.validate(place, rule, value)
                if rule == "log-entry":
                    self.entry(place, key, item, value, previous)
                    previous = item[-1]

    def link(self, path):
        """A frame of every kind between two nodes of a cluster."""
        kinds = []  # In the order of their numbers, from 1 on.
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(ROOT)}:{number}"
            if line.startswith("@ "):
                name = line[2:]
                if name not in kinds:
                    kinds.append(name)
            elif line.startswith("  frame: "):
                frame = bytes.fromhex(line[9:])
                length, kind = struct.unpack_from("<IB", frame)
                if (length, kind, frame[5:16]) != (len(frame) - 16, kinds.index(name) + 1, bytes(11)):
                    self.fail(place, "has another header")
                self.validate(place, "link-" + re.sub("[A-Z]", lambda c: "-" + c[0].lower(), name), frame[16:])

    def entry(self, place, key, item, value, previous):
        self.entries += 1
        if key != f"log/{item[1]:016x}":
            self.fail(place, f"is entry {item[1]} under the key {key}")
        if item[4] != previous:
            self.fail(place, "does not name the checksum of the entry before")
        if xxhash and item[-1] != xxhash.xxh3_64_digest(value[:-9]):
            self.fail(place, "has another checksum")


checks = Checks()


def run():
    # Those of released versions too: what they wrote is valid today.
    for path in sorted((ROOT / "Tests/Golden").glob("*.txt")) + sorted((ROOT / "Tests/Golden/releases").glob("*/*.txt")):
        checks.file(path)
    checks.log(ROOT / "Tests/Golden/cluster/log.txt")
    checks.link(ROOT / "Tests/Golden/cluster/link.txt")


# pycddl goes deep into rules that contain themselves.
threading.stack_size(1 << 29)
thread = threading.Thread(target=run)
thread.start()
thread.join()
for failure in checks.failures:
    print(failure, file=sys.stderr)
print(
    f"{checks.frames} frames and {checks.deltas} deltas read with cbor2, {checks.validated} items valid by the CDDL, "
    f"{checks.hashes} hashes computed, {checks.entries} entries of a log read."
)
sys.exit(1 if checks.failures or not checks.frames else 0)
