"""The cases with a scripted hub. Each has the section of PROTOCOL.md that it tests."""

from scripted import INCREMENT, RENAMED, SESSION, STATE, Failure, Map, encoded, require, wire

CASES = []


def case(section, title):
    def add(function):
        CASES.append((section, title, function))
        return function

    return add


def delta(connection, scope, base, revision, change):
    connection.say(wire.DELTA, (base, change), scope, 0, revision)


def changed(count):
    return Map([(0, count), *STATE.pairs[1:]])


@case("2", "frames that the stream splits into bytes are read")
def _(hub):
    connection, scope = hub.live()
    for byte in wire.frame(wire.DELTA, encoded((3, Map([(0, 5)]))), scope, 0, 4):
        connection.raw(bytes([byte]))
    hub.client.value(1, changed(5), 4)


@case("2", "frames that arrive together are all read")
def _(hub):
    connection, scope = hub.live()
    connection.raw(b"".join(
        wire.frame(wire.DELTA, encoded((2 + number, Map([(0, number)]))), scope, 0, 3 + number) for number in range(1, 50)))
    hub.client.value(1, changed(49), 52)


@case("3", "a length above the limit ends the connection")
def _(hub):
    connection, _ = hub.live()
    connection.raw(b"\xff\xff\xff\xff" + bytes([wire.DELTA]) + bytes(11))
    connection.ends("a length of 4 GiB")
    hub.accept().greet(resumed=True)


@case("4.2", "bytes after the item end the connection")
def _(hub):
    connection, scope = hub.live()
    connection.say(wire.DELTA, encoded((3, Map([(0, 5)]))) + b"\x00", scope, 0, 4)
    connection.ends("bytes after an item")


@case("4.3", "unknown kinds, and unknown keys of a welcome, are ignored")
def _(hub):
    connection = hub.accept()
    hub.client.do("attach", part=1, path=[])
    connection.greet(more=[(40, (Map([(0, b"x")]), -1, 1.5)), (300, None)])
    connection.say(0xC5, b"anything")
    scope, _ = connection.attach()
    connection.say(0xFF, b"")
    connection.snapshot(scope, STATE, 3)
    hub.client.value(1, STATE, 3)


@case("5", "other forms of CBOR are refused")
def _(hub):
    connection, scope = hub.live()
    # 5 in two bytes.
    connection.say(wire.DELTA, bytes.fromhex("8203a1001805"), scope, 0, 4)
    connection.ends("an integer that is not in the shortest form")


@case("6.2", "the client sends nothing that needs the welcome before it")
def _(hub):
    connection = hub.accept()
    hub.client.do("attach", part=1, path=[])
    hub.client.do("send", action=1, bytes=INCREMENT.hex())
    connection.greet()
    kinds = {connection.attach()[1].get(1), connection.actions()[0]}
    require(kinds == {None, 1}, f"attached with {kinds}")


@case("6.3", "a path leads through optionals and elements")
def _(hub):
    connection = hub.accept()
    hub.client.do("attach", part=1, path=["items", {"id": 7}, "text"])
    connection.greet()
    scope, keys = connection.attach()
    require(keys.get(0) == (1, (7,), 1), f"the path is {keys.get(0)}")
    connection.snapshot(scope, "seven", 3)
    hub.client.value(1, "seven", 3)


@case("6.3.1", "a window is a struct")
def _(hub):
    connection = hub.accept()
    hub.client.do("attach", part=1, path=["items", {"window": [-2, 2]}])
    connection.greet()
    scope, keys = connection.attach()
    require(keys.get(0) == (1, (-2, 2)), f"the path is {keys.get(0)}")
    window = Map([(0, 9), (1, 7), (2, (Map([(0, 7), (1, "seven")]),))])
    connection.snapshot(scope, window, 3)
    hub.client.value(1, window, 3)
    delta(connection, scope, 3, 4, Map([(0, 10)]))
    hub.client.value(1, Map([(0, 10), *window.pairs[1:]]), 4)


@case("6.3.1", "no window is asked of a hub without windows")
def _(hub):
    connection = hub.accept()
    hub.client.do("attach", part=1, path=["items", {"window": [0, 2]}])
    connection.hello()
    connection.say(wire.WELCOME, Map([(0, 1), (1, SESSION)]))
    hub.client.do("attach", part=2, path=["count"])
    scope, keys = connection.attach()
    require(keys.get(0) == (0,), f"attached {keys.get(0)}")


@case("6.6", "a snapshot in pieces is whole with its last piece")
def _(hub):
    connection = hub.accept()
    hub.client.do("attach", part=1, path=[])
    connection.greet()
    scope, _ = connection.attach()
    data = encoded(STATE)
    # What was begun is discarded by a piece with offset 0.
    connection.say(wire.SNAPSHOT, (0, 0, data[:5]), scope, 0, 3)
    for at in range(0, len(data), 3):
        connection.say(wire.SNAPSHOT, (0, at, data[at : at + 3]), scope, int(at + 3 >= len(data)), 4)
        connection.say(wire.PONG, 0)
    hub.client.value(1, STATE, 4)


@case("6.7", "a bookmark sets the revision")
def _(hub):
    connection, scope = hub.live()
    connection.say(wire.BOOKMARK, b"", scope, 0, 9)
    delta(connection, scope, 9, 10, Map([(0, 5)]))
    hub.client.value(1, changed(5), 10)


@case("6.8", "an absent part returns with a snapshot")
def _(hub):
    connection, scope = hub.live()
    connection.say(wire.ABSENT, b"", scope, 0, 4)
    hub.client.value(1, None, 4)
    connection.snapshot(scope, STATE, 5, 3)
    hub.client.value(1, STATE, 5)


@case("6.8", "a detached number's frames are ignored until detached arrives")
def _(hub):
    connection, scope = hub.live()
    hub.client.do("detach", part=1)
    frame = connection.expect(wire.DETACH, "detach")
    require(frame.scope == scope, f"detached {frame.scope}")
    delta(connection, scope, 3, 4, Map([(0, 5)]))
    hub.client.do("attach", part=2, path=[])
    other, _ = connection.attach()
    require(other != scope, "the number is used again before detached")
    connection.say(wire.DETACHED, b"", scope)
    connection.snapshot(other, STATE, 4)
    hub.client.value(2, STATE, 4)


@case("6.8", "a part beyond a limit is absent, the others go on, and it is attached when one of them is detached")
def _(hub):
    connection, scope = hub.live()
    hub.client.do("attach", part=2, path=["count"])
    other, _ = connection.attach()
    connection.say(wire.ABSENT, "scopes of this hub: 1", other)
    connection.say(wire.DETACHED, 12, other)
    delta(connection, scope, 3, 4, Map([(0, 5)]))
    hub.client.value(1, changed(5), 4)
    hub.client.do("detach", part=1)
    frame = connection.expect(wire.DETACH, "detach")
    require(frame.scope == scope, f"detached {frame.scope}")
    again, keys = connection.attach()
    require(1 not in keys, "attached with a revision that the client does not have")
    connection.snapshot(again, 5, 4)
    hub.client.value(2, 5, 4)


def refused_for_good(code):
    @case("6.8", f"a part that is refused with code {code} is asked for no more, and the others go on")
    def _(hub):
        connection, scope = hub.live()
        hub.client.do("attach", part=2, path=["count"])
        other, _ = connection.attach()
        connection.say(wire.ABSENT, "the parameter of 'view:near' is refused", other)
        connection.say(wire.DETACHED, code, other)
        delta(connection, scope, 3, 4, Map([(0, 5)]))
        hub.client.value(1, changed(5), 4)
        hub.client.do("detach", part=1)
        frame = connection.expect(wire.DETACH, "detach")
        require(frame.scope == scope, f"detached {frame.scope}")
        connection.say(wire.DETACHED, b"", scope)
        hub.client.do("attach", part=3, path=[])
        third, keys = connection.attach()
        require(not keys.get(0), "the part is asked for again when another one is detached")
        connection.snapshot(third, STATE, 4)
        hub.client.value(3, STATE, 4)


refused_for_good(6)
# One that the client does not know.
refused_for_good(99)


@case("6.8, 13", "a hash is compared, and a part with another one is attached again")
def _(hub):
    connection, scope = hub.live()
    hub.client.do("verify", part=1)
    connection.expect(wire.VERIFY, "verify")
    connection.say(wire.HASH, 1, scope, 0, 3)
    line = hub.client.wait("the answer to verify", lambda line: "matches" in line)
    require(line["matches"] is False, "another hash is taken for the same")
    connection.expect(wire.DETACH, "detach")
    other, keys = connection.attach()
    require(1 not in keys, "attached with the revision of the wrong value")
    connection.snapshot(other, changed(8), 3)
    hub.client.value(1, changed(8), 3)


@case("6.10", "every code of a rejection is reported")
def _(hub):
    connection, _ = hub.live()
    for code in [1, 2, 3, 4, 5, 6, 7, 99]:
        hub.client.do("send", action=code, bytes=INCREMENT.hex())
        number, _, _ = connection.actions()
        connection.say(wire.REJECTED, (number, code, f"why {code}"))
        connection.say(wire.APPLIED, number)
        hub.client.outcome(code, "rejected", code=code, reason=f"why {code}")


@case("6.11", "after error 1 there are no further attempts")
def _(hub):
    connection = hub.accept()
    connection.hello()
    connection.say(wire.ERROR, (1, "only version 9"))
    hub.client.wait("ended", lambda line: "ended" in line)


@case("6.12", "after a goodbye the client comes back")
def _(hub):
    connection, _ = hub.live()
    connection.say(wire.GOODBYE, (1, "shutting down"))
    connection.cut()
    keys = hub.accept().hello()
    require(keys.get(2) == SESSION, "the session is not named")


@case("6.13", "cancel names the action, which was sent with the flag")
def _(hub):
    connection, _ = hub.live()
    hub.client.do("send", action=1, bytes=INCREMENT.hex())
    frame = connection.expect(wire.ACTIONS, "actions")
    require(frame.flags & 2, "the actions have no flag 2")
    connection.say(wire.APPLIED, 1)
    hub.client.outcome(1, "applied")
    hub.client.do("cancel", action=1)
    frame = connection.expect(wire.CANCEL, "cancel")
    require(frame.payload == b"\x01", f"cancelled {frame.payload.hex()}")


@case("6.13", "a cancel that the hub may not have read is sent again")
def _(hub):
    connection, _ = hub.live()
    hub.client.do("send", action=1, bytes=INCREMENT.hex())
    connection.actions()
    connection.say(wire.APPLIED, 1)
    hub.client.outcome(1, "applied")
    hub.client.do("cancel", action=1)
    connection.expect(wire.CANCEL, "cancel")
    # Without a pong.
    connection.cut()
    connection = hub.accept()
    connection.greet(resumed=True, processed=1)
    connection.attach()
    frame = connection.expect(wire.CANCEL, "cancel")
    require(frame.payload == b"\x01", f"cancelled {frame.payload.hex()}")


@case("6.10.1", "released is taken, or ignored")
def _(hub):
    connection, scope = hub.live()
    connection.say(0x8E, 0)
    delta(connection, scope, 3, 4, Map([(0, 5)]))
    hub.client.value(1, changed(5), 4)


@case("7.2", "a welcome with another version is refused")
def _(hub):
    connection = hub.accept()
    connection.hello()
    connection.say(wire.WELCOME, Map([(0, 2), (1, SESSION)]))
    hub.client.wait("ended", lambda line: "ended" in line)


@case("7.5", "a resumed scope names its revision, and goes on by a delta")
def _(hub):
    connection, scope = hub.live()
    connection.cut()
    connection = hub.accept()
    keys = connection.greet(resumed=True)
    require(keys.get(2) == SESSION and keys.get(6) == 5, f"the hello has {keys}")
    scope, keys = connection.attach()
    require(keys.get(1) == 3, f"attached with {keys}")
    delta(connection, scope, 3, 4, Map([(0, 5)]))
    hub.client.value(1, changed(5), 4)


@case("7.5", "every reason of a snapshot is taken")
def _(hub):
    connection, scope = hub.live()
    for reason in (1, 2, 3, 4, 77):
        connection.snapshot(scope, changed(reason), 3 + reason, reason)
        hub.client.value(1, changed(reason), 3 + reason)


def refused(section, title, kind, payload, revision):
    """A frame that does not fit: the client attaches the part again without its revision."""

    @case(section, title)
    def _(hub):
        connection, scope = hub.live()
        connection.say(kind, payload, scope, 0, revision)
        connection.ends(title)
        connection = hub.accept()
        connection.greet(resumed=True)
        scope, keys = connection.attach()
        require(1 not in keys, f"attached with {keys}")
        connection.snapshot(scope, changed(9), 9, 1)
        hub.client.value(1, changed(9), 9)


refused("7.5", "a delta from another revision", wire.DELTA, (2, Map([(0, 5)])), 4)
refused("7.5", "a bookmark that does not lead on", wire.BOOKMARK, b"", 3)
refused("10", "a change inside a null", wire.DELTA, (3, Map([(2, Map([(0, "x")]))])), 4)
refused("10", "a value of another type", wire.DELTA, (3, Map([(0, "five")])), 4)
refused("10", "a key that a collection's change does not have", wire.DELTA, (3, Map([(1, Map([(4, ())]))])), 4)
refused("10.2", "the removal of an element that is not there", wire.DELTA, (3, Map([(1, Map([(0, (99,))]))])), 4)
refused("10.2", "an element beyond the end", wire.DELTA, (3, Map([(1, Map([(2, (5, Map([(0, 8), (1, "")])))]))])), 4)
refused("10.2", "the insertion of an id that is there", wire.DELTA, (3, Map([(1, Map([(2, (1, Map([(0, 7), (1, "")])))]))])), 4)
refused("10.2", "a change that gives an element another id", wire.DELTA, (3, Map([(1, Map([(3, (7, Map([(0, 8)])))]))])), 4)


@case("10.2", "removed, moved, inserted and changed elements")
def _(hub):
    connection, scope = hub.live()
    items = lambda *ids: tuple(Map([(0, one), (1, text)]) for one, text in ids)  # noqa: E731
    delta(connection, scope, 3, 4, Map([(1, Map([(2, (1, *items((8, "a")), 2, *items((9, "b"))))]))]))
    hub.client.value(1, Map([(0, 0), (1, items((7, "seven"), (8, "a"), (9, "b"))), (2, None)]), 4)
    change = Map([(0, (8,)), (1, (0, 9)), (2, (2, *items((10, "c")))), (3, (7, Map([(1, "7")])))])
    delta(connection, scope, 4, 5, Map([(1, change)]))
    hub.client.value(1, Map([(0, 0), (1, items((9, "b"), (7, "7"), (10, "c"))), (2, None)]), 5)


@case("10", "an unknown field is skipped with its change")
def _(hub):
    connection, scope = hub.live()
    delta(connection, scope, 3, 4, Map([(0, 5), (9, Map([(0, "x")]))]))
    hub.client.value(1, changed(5), 4)


@case("7.6", "actions are numbered from 1, and their outcomes acknowledged")
def _(hub):
    connection, _ = hub.live()
    hub.client.do("send", action=1, bytes=INCREMENT.hex())
    first, acknowledged, items = connection.actions()
    require((first, acknowledged, items) == (1, 0, [INCREMENT]), f"sent {first}, {acknowledged}, {items}")
    connection.say(wire.APPLIED, 1)
    hub.client.outcome(1, "applied")
    hub.client.do("send", action=2, bytes=INCREMENT.hex())
    first, acknowledged, _ = connection.actions()
    require((first, acknowledged) == (2, 1), f"sent {first}, {acknowledged}")


def send_all(hub, connection, count):
    for number in range(1, count + 1):
        hub.client.do("send", action=number, bytes=INCREMENT.hex())
    received = 0
    while received < count:
        first, _, items = connection.actions()
        require(first == received + 1, f"a gap: {first} after {received}")
        received += len(items)


@case("7.7", "after a cut, exactly the actions that were not processed are sent again")
def _(hub):
    connection, _ = hub.live()
    send_all(hub, connection, 5)
    connection.say(wire.APPLIED, 1)
    hub.client.outcome(1, "applied")
    connection.cut()
    connection = hub.accept()
    keys = connection.hello()
    require(keys.get(3) == 1, f"acknowledged {keys.get(3)}")
    connection.welcome(resumed=True, processed=3)
    # The outcomes are repeated before anything else. A client may keep them until it has the parts with their changes.
    connection.say(wire.REJECTED, (2, 6, "full"))
    connection.say(wire.APPLIED, 3)
    connection.attach()
    first, _, items = connection.actions()
    require(first in (2, 3, 4) and first + len(items) == 6, f"sent {len(items)} from {first}")
    connection.say(wire.APPLIED, 5)
    hub.client.outcome(2, "rejected", code=6, reason="full")
    hub.client.outcome(3, "applied")
    hub.client.outcome(4, "applied")
    hub.client.outcome(5, "applied")


@case("11.2", "an action of a renamed case is sent under its new name once")
def _(hub):
    connection, _ = hub.live()
    hub.client.do("send", action=1, bytes=encoded((1, "x")).hex())
    hub.client.do("send", action=2, bytes=INCREMENT.hex())
    received = 0
    while received < 2:
        received += len(connection.actions()[2])
    connection.cut()
    for processed in (0, 1):
        connection = hub.accept(RENAMED)
        connection.greet(resumed=True, processed=processed)
        if processed:
            connection.say(wire.APPLIED, processed)
        connection.attach()
        first, _, items = connection.actions()
        # A client may skip only what was processed.
        expected = [encoded((0, "x")), encoded(2)][first - 1 :]
        require(first <= processed + 1 and items == expected, f"sent {[one.hex() for one in items]} from {first}")
        if not processed:
            connection.cut()
    connection.say(wire.APPLIED, 2)
    hub.client.outcome(1, "applied")
    hub.client.outcome(2, "applied")


@case("7.7", "a lost session leaves the outcome unknown, and nothing is sent twice")
def _(hub):
    connection, _ = hub.live()
    send_all(hub, connection, 2)
    connection.cut()
    connection = hub.accept()
    connection.greet(resumed=False)
    hub.client.outcome(1, "unknown")
    hub.client.outcome(2, "unknown")
    connection.attach()
    hub.client.do("send", action=3, bytes=INCREMENT.hex())
    first, acknowledged, items = connection.actions()
    require((first, acknowledged, len(items)) == (1, 0, 1), f"sent {len(items)} from {first}")


@case("7.7", "with another history no revision is named")
def _(hub):
    connection, _ = hub.live()
    connection.cut()
    connection = hub.accept()
    connection.greet(resumed=True, history=6)
    scope, keys = connection.attach()
    require(1 not in keys, f"attached with {keys}")
    connection.snapshot(scope, changed(2), 1, 1)
    hub.client.value(1, changed(2), 1)


@case("7.6", "an answer for an action that was not sent ends the connection")
def _(hub):
    connection, _ = hub.live()
    connection.say(wire.APPLIED, 7)
    connection.ends("an answer for an action that was not sent")


@case("9", "an action that is none of the schema's is not sent")
def _(hub):
    hub.live()
    hub.client.do("send", action=1, bytes=encoded((1, 5)).hex())
    hub.client.outcome(1, "invalid")


def test(hub, function):
    """Runs a case."""
    try:
        function(hub)
    except OSError as error:
        raise Failure(f"the connection: {error}") from error
