"""A small client of a StoreHub hub, written from docs/PROTOCOL.md alone, with Python's standard library alone.

    storehub.py SOCKET schema [feature|hub]      print a schema as JSON
    storehub.py SOCKET state [feature|hub]       print a state as JSON
    storehub.py SOCKET send ACTION...            send actions, one turn each, and print the state that the deltas gave
    storehub.py SOCKET resume ACTION...          the same, with a cut after each action and a session that is resumed
    storehub.py SOCKET follow                    print the state, then each new one, on a line; end with the hub's goodbye

It knows no feature: values are read, changed and written by the hub's schema. An action is JSON: "name" for a case without a
payload, {"name": value} for a case with one value, {"name": {"label": value, ...}} or {"name": [value, ...]} for several.

After `send` and `resume` the state is attached once more, and the new snapshot must have the bytes of the state to which the
deltas led.
"""

import json
import socket
import struct
import sys


class Refused(Exception):
    """The hub, or what it sent, is not what the protocol says."""


class Goodbye(Exception):
    """The hub closes the connection for a reason of its own."""


def check(condition, what):
    if not condition:
        raise Refused(what)


# CBOR (section 5). A map is a list of pairs in class Map; Python's dictionaries take 1, 1.0 and True for one key.


class NaN(float):
    """A NaN with the bits of its 64-bit form, which Python's own conversions may change."""

    def __new__(cls, bits):
        number = super().__new__(cls, "nan")
        number.bits = bits
        return number


class Map(list):
    def get(self, key, default=None):
        return next((value for other, value in self if same(other, key)), default)


def same(one, other):
    return type(one) is type(other) and encode(one) == encode(other)


def head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 1 << 8 * size:
            return bytes([major << 5 | code]) + argument.to_bytes(size, "big")
    raise ValueError(argument)


def encode(value):
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        major, argument = (0, value) if value >= 0 else (1, -1 - value)
        if argument < 1 << 64:
            return head(major, argument)
        digits = argument.to_bytes((argument.bit_length() + 7) // 8, "big")
        return head(6, 2 + major) + head(2, len(digits)) + digits
    if isinstance(value, NaN):
        for code, form, fraction, exponent in ((0xF9, ">H", 10, 5), (0xFA, ">I", 23, 8)):
            dropped = 52 - fraction
            if value.bits & (1 << dropped) - 1 == 0:
                kept = (value.bits & (1 << 52) - 1) >> dropped
                return bytes([code]) + struct.pack(form, (value.bits >> 63 << exponent | (1 << exponent) - 1) << fraction | kept)
        return struct.pack(">BQ", 0xFB, value.bits)
    if isinstance(value, float):
        double = struct.pack(">d", value)
        for code, form in ((0xF9, ">e"), (0xFA, ">f")):
            try:
                short = struct.pack(form, value)
            except OverflowError:
                continue
            if struct.pack(">d", struct.unpack(form, short)[0]) == double:
                return bytes([code]) + short
        return b"\xfb" + double
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, Map):
        pairs = sorted((encode(key), encode(item)) for key, item in value)
        return head(5, len(pairs)) + b"".join(key + item for key, item in pairs)
    return head(4, len(value)) + b"".join(map(encode, value))


class Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        check(len(self.data) - self.place >= count, "the bytes end inside an item")
        self.place += count
        return self.data[self.place - count : self.place]

    def item(self):
        (initial,) = self.take(1)
        major, info = initial >> 5, initial & 31
        if major == 7:
            return self.simple(info)
        check(info < 28, "an indefinite or reserved length")
        argument = info if info < 24 else int.from_bytes(self.take(1 << info - 24), "big")
        if major == 0:
            return argument
        if major == 1:
            return -1 - argument
        if major == 2:
            return self.take(argument)
        if major == 3:
            return self.take(argument).decode()
        if major == 4:
            return [self.item() for _ in range(argument)]
        if major == 5:
            return Map((self.item(), self.item()) for _ in range(argument))
        check(argument in (2, 3), "a tag that the protocol does not have")
        magnitude = int.from_bytes(self.item(), "big")
        return magnitude if argument == 2 else -1 - magnitude

    def simple(self, info):
        if info in (25, 26, 27):
            form, bits, fraction = {25: (">e", 16, 10), 26: (">f", 32, 23), 27: (">d", 64, 52)}[info]
            data = self.take(bits // 8)
            value = struct.unpack(form, data)[0]
            if value == value:
                return value
            raw = int.from_bytes(data, "big")
            payload = (raw & (1 << fraction) - 1) << 52 - fraction
            return NaN(raw >> bits - 1 << 63 | 0x7FF << 52 | payload)
        check(info in (20, 21, 22), "a simple value that the protocol does not have")
        return {20: False, 21: True, 22: None}[info]


def decode(data):
    reader = Reader(data)
    value = reader.item()
    check(reader.place == len(data), "bytes follow the item")
    # One form for each value: what is written again has the same bytes.
    check(encode(value) == data, "not deterministic CBOR")
    return value


# Schemas (section 11), values (9) and changes (10)


class Struct:
    def __init__(self, name, identity, fields):
        self.name, self.identity = name, identity
        self.fields = {key: (name, kind) for key, name, kind, _ in fields}


class Enum:
    def __init__(self, name, cases):
        self.name = name
        self.cases = {key: (name, list(zip(rest[::2], rest[1::2]))) for key, name, *rest in cases}


class Schema:
    def __init__(self, encoded):
        self.raw = decode(encoded)
        self.state, self.action, *definitions = self.raw
        self.definitions = [
            Struct(name, rest[0], rest[1:]) if kind == 0 else Enum(name, rest) for name, kind, *rest in definitions
        ]

    def parts(self, kind):
        """A type as its name, or its definition, and its parts."""
        if isinstance(kind, int):
            return self.definitions[kind], []
        return (kind, []) if isinstance(kind, str) else (kind[0], kind[1:])

    # A value as JSON with the schema's names

    def show(self, kind, value):
        what, parts = self.parts(kind)
        if isinstance(what, Struct):
            return {what.fields[key][0]: self.show(what.fields[key][1], item) for key, item in value if key in what.fields}
        if isinstance(what, Enum):
            key, *payload = value if isinstance(value, list) else [value]
            name, values = what.cases[key]
            return {name: self.payload(values, payload)} if values else name
        if what in ("Optional", "PresentationState"):
            return None if value is None else self.show(parts[0], value[0])
        if what in ("Array", "Set"):
            return [self.show(parts[0], item) for item in value]
        if what == "IdentifiedArray":
            return [self.show(parts[1], item) for item in value]
        if what == "StackState":
            return [[identifier, self.show(parts[0], item)] for identifier, item in value]
        if what == "Dictionary":
            return [[self.show(parts[0], key), self.show(parts[1], item)] for key, item in value]
        if what == "Result":
            return {("success", "failure")[value[0]]: self.show(parts[value[0]], value[1])}
        return plain(value)

    def payload(self, values, items):
        shown = [self.show(kind, item) for (_, kind), item in zip(values, items)]
        if len(values) == 1:
            return shown[0]
        if all(label for label, _ in values):
            return {label: item for (label, _), item in zip(values, shown)}
        return shown

    # JSON as a value

    def make(self, kind, given):
        what, parts = self.parts(kind)
        if isinstance(what, Struct):
            return Map(
                (key, self.make(kind, given[name])) for key, (name, kind) in what.fields.items() if name in given
            )
        if isinstance(what, Enum):
            name, payload = (given, None) if isinstance(given, str) else next(iter(given.items()))
            for key, (other, values) in what.cases.items():
                if other == name:
                    return [key, *self.unlabel(values, payload)] if values else key
            raise Refused(f"{what.name} has no case '{name}'")
        if what in ("Optional", "PresentationState"):
            return None if given is None else [self.make(parts[0], given)]
        if what == "Array":
            return [self.make(parts[0], item) for item in given]
        if what == "IdentifiedArray":
            return [self.make(parts[1], item) for item in given]
        if what == "Set":
            return sorted((self.make(parts[0], item) for item in given), key=encode)
        if what == "StackState":
            return [[identifier, self.make(parts[0], item)] for identifier, item in given]
        if what == "Dictionary":
            return Map((self.make(parts[0], key), self.make(parts[1], item)) for key, item in given)
        if what == "Result":
            ((name, item),) = given.items()
            case = ("success", "failure").index(name)
            return [case, self.make(parts[case], item)]
        if what in ("Float", "Double", "Date"):
            return float(given)
        if what in ("Data", "UUID"):
            return bytes.fromhex(given)
        if what == "raw":
            return self.make(parts[1], given)
        return given

    def unlabel(self, values, payload):
        if len(values) == 1:
            return [self.make(values[0][1], payload)]
        if isinstance(payload, dict):
            payload = [payload[label] for label, _ in values]
        return [self.make(kind, item) for (_, kind), item in zip(values, payload, strict=True)]

    # Changes

    def apply(self, kind, value, change):
        what, parts = self.parts(kind)
        if not isinstance(change, Map):
            if what == "Dictionary":
                check(len(change) == 1, "a new dictionary is an array of one map")
                return change[0]
            return change
        if isinstance(what, Struct):
            result = Map(value)
            for key, inner in change:
                if key in what.fields:
                    (place,) = [place for place, (other, _) in enumerate(result) if other == key]
                    result[place] = (key, self.apply(what.fields[key][1], result[place][1], inner))
            return result
        if isinstance(what, Enum):
            ((key, inner),) = change
            check(isinstance(value, list) and value[0] == key, "a change inside another case")
            (_, values) = what.cases[key]
            if len(values) == 1:
                return [key, self.apply(values[0][1], value[1], inner)]
            result = list(value)
            for index, part in inner:
                result[index + 1] = self.apply(values[index][1], result[index + 1], part)
            return result
        if what in ("Optional", "PresentationState"):
            check(value is not None and change[0][0] == 0, "a change inside a null")
            return [self.apply(parts[0], value[0], change[0][1])]
        if what == "Result":
            ((case, inner),) = change
            check(value[0] == case, "a change inside the other case")
            return [case, self.apply(parts[case], value[1], inner)]
        if what == "Array":
            return self.change_array(parts[0], list(value), change)
        if what == "Set":
            removed, inserted = change.get(0, []), change.get(1, [])
            kept = [item for item in value if not any(same(item, other) for other in removed)]
            check(len(kept) == len(value) - len(removed), "the removal of a member that is not there")
            return sorted(kept + inserted, key=encode)
        if what == "Dictionary":
            return self.change_dictionary(parts[1], value, change)
        if what == "IdentifiedArray":
            identity = lambda element: self.identity(parts[1], element)
            update = lambda element, inner: self.apply(parts[1], element, inner)
            return self.change_identified(list(value), change, identity, update)
        if what == "StackState":
            update = lambda entry, inner: [entry[0], self.apply(parts[0], entry[1], inner)]
            return self.change_identified(list(value), change, lambda entry: entry[0], update)
        raise Refused(f"a change inside a value of type {what}")

    def identity(self, kind, element):
        (what, _) = self.parts(kind)
        check(isinstance(what, Struct) and what.identity, f"the ids of {what.name} are not in the schema")
        for key in what.identity:
            element = element.get(key)
        return element

    def change_array(self, kind, result, change):
        if (splice := change.get(0)) is not None:
            offset, removed, *inserted = splice
            check(offset + removed <= len(result), "a splice beyond the end")
            result[offset : offset + removed] = inserted
        for offset, inner in change.get(1, Map()):
            check(offset < len(result), "a change beyond the end")
            result[offset] = self.apply(kind, result[offset], inner)
        return result

    def change_dictionary(self, kind, value, change):
        removed = change.get(0, [])
        result = Map(pair for pair in value if not any(same(pair[0], key) for key in removed))
        check(len(result) == len(value) - len(removed), "the removal of a key that is not there")
        result += change.get(1, Map())
        for key, inner in change.get(2, Map()):
            (place,) = [place for place, (other, _) in enumerate(result) if same(other, key)]
            result[place] = (key, self.apply(kind, result[place][1], inner))
        return Map(sorted(result, key=lambda pair: encode(pair[0])))

    def change_identified(self, result, change, identity, update):
        def place_of(identifier):
            places = [place for place, element in enumerate(result) if same(identity(element), identifier)]
            check(len(places) == 1, "the change of an element that is not there")
            return places[0]

        for identifier in change.get(0, []):
            del result[place_of(identifier)]
        moved = change.get(1, [])
        placed = [(offset, result.pop(place_of(identifier))) for offset, identifier in zip(moved[::2], moved[1::2])]
        inserted = change.get(2, [])
        placed += zip(inserted[::2], inserted[1::2])
        for offset, element in sorted(placed, key=lambda pair: pair[0]):
            check(offset <= len(result), "an element beyond the end")
            result.insert(offset, element)
        changed = change.get(3, [])
        for identifier, inner in zip(changed[::2], changed[1::2]):
            place = place_of(identifier)
            result[place] = update(result[place], inner)
        return result


def plain(value):
    """A value without names: bytes in hexadecimal."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Map):
        return [[plain(key), plain(item)] for key, item in value]
    if isinstance(value, list):
        return list(map(plain, value))
    return value


# Frames (3), kinds (4) and the conversation (7)

HELLO, ATTACH, ACTIONS, DESCRIBE = 0x01, 0x02, 0x03, 0x08
WELCOME, SNAPSHOT, DELTA, APPLIED, REJECTED, ERROR, GOODBYE = 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87
ABSENT, SCHEMA, BOOKMARK = 0x89, 0x8C, 0x8D
ROOTS = {"feature": 0, "hub": 1}


class Client:
    def __init__(self, path):
        self.path = path
        self.scopes = {}
        self.schemas = {}
        self.sequence = self.applied = 0
        # The actions without an outcome, by their sequence numbers.
        self.pending = {}
        self.refusals = []
        self.session = self.history = None
        self.connect()

    def connect(self):
        """Opens a session, or resumes the one that there is (7.7)."""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(30)
        self.socket.connect(self.path)
        hello = [(0, 1), (1, 1), (4, "storehub.py")]
        if self.session is not None:
            hello += [(2, self.session), (3, self.applied)]
        if self.history is not None:
            hello.append((6, self.history))
        self.write(HELLO, encode(Map(hello)))
        self.welcome = None
        while self.welcome is None:
            self.read()
        resumed = self.welcome.get(2, False)
        check(self.session is None or resumed, "the hub has forgotten the session")
        knows_revisions = resumed and self.welcome.get(7) == self.history
        self.session, self.history = self.welcome.get(1), self.welcome.get(7)
        for number, scope in self.scopes.items():
            self.request(number, scope, knows_revisions)
        # Those up to key 3 have an outcome, which follows the welcome.
        unsent = [action for sequence, action in sorted(self.pending.items()) if sequence > self.welcome.get(3, 0)]
        if unsent:
            self.write_actions(self.sequence - len(unsent) + 1, unsent)

    def cut(self):
        self.socket.close()

    def write(self, kind, payload=b"", scope=0):
        self.socket.sendall(struct.pack("<IBBHQ", len(payload), kind, 0, scope, 0) + payload)

    def take(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            check(more, "the hub closed the connection")
            data += more
        return data

    def read(self):
        """Reads one frame and acts on it."""
        length, kind, flags, number, revision = struct.unpack("<IBBHQ", self.take(16))
        payload = self.take(length)
        scope = self.scopes.get(number)
        if kind == WELCOME:
            self.welcome = decode(payload)
        elif kind == SCHEMA:
            self.schemas[number] = Schema(payload)
        elif kind == SNAPSHOT:
            _, offset, piece = decode(payload)
            if offset == 0:
                scope["pieces"] = b""
            check(offset == len(scope["pieces"]), "a piece of a snapshot is missing")
            scope["pieces"] += piece
            if flags & 1:
                scope.update(state=decode(scope["pieces"]), revision=revision, known=True)
        elif kind == DELTA:
            base, change = decode(payload)
            check(base == scope["revision"], "a delta from another revision")
            scope["state"] = self.schemas[scope["root"]].apply(scope["type"], scope["state"], change)
            scope["revision"] = revision
            scope["deltas"] += 1
        elif kind == BOOKMARK:
            check(revision > scope["revision"], "a bookmark that does not lead on")
            scope["revision"] = revision
        elif kind == ABSENT:
            scope.update(state=None, revision=revision, known=True)
        elif kind == APPLIED:
            self.applied = decode(payload)
            for sequence in [sequence for sequence in self.pending if sequence <= self.applied]:
                del self.pending[sequence]
        elif kind == REJECTED:
            self.refusals.append(decode(payload))
        elif kind == GOODBYE:
            raise Goodbye(decode(payload))
        elif kind == ERROR:
            raise Refused("the hub says: " + decode(payload)[1])

    def describe(self, root):
        self.write(DESCRIBE, scope=root)
        while root not in self.schemas:
            self.read()
        return self.schemas[root]

    def attach(self, number, root):
        self.scopes[number] = {
            "root": root, "type": self.describe(root).state, "known": False, "revision": 0, "deltas": 0,
        }  # fmt: skip
        self.request(number, self.scopes[number], False)
        while not self.scopes[number]["known"]:
            self.read()
        return self.scopes[number]

    def request(self, number, scope, knows_revision):
        """Sends an attach; with the revision that the client has, the hub sends only what has changed since."""
        keys = [(0, [])]
        if knows_revision and scope["known"]:
            keys.append((1, scope["revision"]))
        if scope["root"]:
            keys.append((2, scope["root"]))
        self.write(ATTACH, encode(Map(keys)), scope=number)

    def begin(self, action):
        """Sends an action and does not wait for its outcome."""
        self.sequence += 1
        self.pending[self.sequence] = action
        self.write_actions(self.sequence, [action])

    def write_actions(self, first, actions):
        self.write(ACTIONS, encode(first) + encode(self.applied) + b"".join(map(encode, actions)))

    def settle(self):
        while self.pending:
            self.read()

    def send(self, action):
        self.begin(action)
        self.settle()


def main(path, command, *arguments):
    client = Client(path)
    if command == "schema":
        schema = client.describe(ROOTS[arguments[0] if arguments else "feature"])
        print(json.dumps(plain(schema.raw), indent=1))
    elif command == "state":
        root = ROOTS[arguments[0] if arguments else "feature"]
        scope = client.attach(1, root)
        print(json.dumps(client.schemas[root].show(scope["type"], scope["state"]), indent=1))
    elif command in ("send", "resume"):
        scope = client.attach(1, 0)
        schema = client.schemas[0]
        for argument in arguments:
            action = schema.make(schema.action, json.loads(argument))
            if command == "send":
                client.send(action)
                continue
            # The hub may or may not have read the action.
            client.begin(action)
            client.cut()
            client.connect()
        client.settle()
        for sequence, code, reason in client.refusals:
            print(f"action {sequence} was refused with code {code}: {reason}", file=sys.stderr)
        again = client.attach(2, 0)
        check(encode(again["state"]) == encode(scope["state"]), "the deltas led to another state than the snapshot has")
        print(json.dumps({"deltas": scope["deltas"], "state": schema.show(scope["type"], scope["state"])}, indent=1))
    elif command == "follow":
        scope = client.attach(1, 0)
        schema = client.schemas[0]
        shown = None
        try:
            while True:
                if shown != scope["revision"]:
                    shown = scope["revision"]
                    state = schema.show(scope["type"], scope["state"])
                    print(json.dumps({"revision": shown, "state": state}), flush=True)
                client.read()
        except Goodbye as goodbye:
            print(json.dumps({"goodbye": goodbye.args[0]}), flush=True)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (Refused, Goodbye, OSError) as error:
        sys.exit(f"storehub.py: {error}")
