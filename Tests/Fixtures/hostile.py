"""Sends actions of Tests/TestFeatures/Hostile.swift to a hub with the client of clients/python.

    hostile.py SOCKET state                print the state's bytes
    hostile.py SOCKET play SEED COUNT      send actions that the seed determines, then print what happened

After each action the state is what the deltas gave; now and then the snapshot of another scope must have the same bytes.
"""

import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))
from storehub import Rejected, StoreHubError, blocking  # noqa: E402
from storehub._cbor import Reader, encoded  # noqa: E402


def action(draw):
    """A case of the feature's action by its key, and its values."""
    kind = draw.randrange(20)
    if kind < 2:
        return (1, draw.randrange(3))
    if kind == 2:
        return 2
    if kind == 3:
        return (3, draw.choice([0.0, -0.0, 1.5, 1e300, math.inf, math.nan, -math.nan]))
    if kind == 4:
        return (4, draw.choice(["", "caf\u00e9", "cafe\u0301", "a\0b", "\U0010ffff"]))
    return (0, draw.getrandbits(64))


def check(condition, what):
    if not condition:
        sys.exit(f"hostile.py: {what}")


def main(path, command, *arguments):
    with blocking.connect(path) as hub:
        part = hub.attach(".")
        types = hub._core.types()

        def state(of=part):
            return types.state.encoded(of.value)

        if command == "state":
            print(json.dumps({"revision": part.revision, "state": state().hex()}))
            return
        seed, count = map(int, arguments)
        draw = random.Random(seed)
        free = 2
        refusals = []
        for step in range(count):
            before = state()
            sent = action(draw)
            try:
                hub.send(types.action.read(Reader(encoded(sent))))
            except Rejected as error:
                refusals.append([int(error.code), error.reason])
                check(state() == before, f"step {step}: {sent} was refused and changed the state")
            if draw.randrange(10) == 0 and free < 60:
                again = hub.attach(".")
                free += 1
                check(state(again) == state(), f"step {step}: the deltas after {sent} led elsewhere")
            if draw.randrange(15) == 0:
                hub._cut()
        print(json.dumps({"refusals": refusals, "revision": part.revision, "state": state().hex()}))


try:
    main(*sys.argv[1:])
except (StoreHubError, OSError) as error:
    sys.exit(f"hostile.py: {error}")
