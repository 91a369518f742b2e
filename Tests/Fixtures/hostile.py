"""Sends actions of Tests/TestFeatures/Hostile.swift to a hub with the client of pyclient/storehub.py.

    hostile.py SOCKET state                print the state's bytes
    hostile.py SOCKET play SEED COUNT      send actions that the seed determines, then print what happened

After each action the state is what the deltas gave; now and then the snapshot of another scope must have the same bytes.
"""

import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "pyclient"))
from storehub import Client, Goodbye, Refused, check, encode  # noqa: E402


def action(draw):
    """A case of the feature's action by its key, and its values."""
    kind = draw.randrange(20)
    if kind < 2:
        return [1, draw.randrange(3)]
    if kind == 2:
        return 2
    if kind == 3:
        return [3, draw.choice([0.0, -0.0, 1.5, 1e300, math.inf, math.nan, -math.nan])]
    if kind == 4:
        return [4, draw.choice(["", "caf\u00e9", "cafe\u0301", "a\0b", "\U0010ffff"])]
    return [0, draw.getrandbits(64)]


def main(path, command, *arguments):
    client = Client(path)
    scope = client.attach(1, 0)
    if command == "state":
        print(json.dumps({"revision": scope["revision"], "state": encode(scope["state"]).hex()}))
        return
    seed, count = map(int, arguments)
    draw = random.Random(seed)
    free = 2
    for step in range(count):
        before, known = encode(scope["state"]), len(client.refusals)
        sent = action(draw)
        client.send(sent)
        if len(client.refusals) > known:
            check(encode(scope["state"]) == before, f"step {step}: {sent} was refused and changed the state")
        if draw.randrange(10) == 0 and free < 60:
            again = client.attach(free, 0)
            free += 1
            check(encode(again["state"]) == encode(scope["state"]), f"step {step}: the deltas after {sent} led elsewhere")
        if draw.randrange(15) == 0:
            client.cut()
            client.connect()
    print(json.dumps({
        "refusals": [[code, reason] for _, code, reason in client.refusals],
        "revision": scope["revision"],
        "state": encode(scope["state"]).hex(),
    }))  # fmt: skip


try:
    main(*sys.argv[1:])
except (Refused, Goodbye, OSError) as error:
    sys.exit(f"hostile.py: {error}")
