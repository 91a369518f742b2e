"""A hub's state and actions on the command line, by the schema alone.

    python -m storehub SOCKET schema [feature|hub]      print a schema as JSON
    python -m storehub SOCKET state [feature|hub]       print a state as JSON
    python -m storehub SOCKET send ACTION...            send actions one after another, and print the state that the deltas gave
    python -m storehub SOCKET resume ACTION...          the same, with a cut after each action and a session that is resumed
    python -m storehub SOCKET follow                    print the state, then each new one, on a line; end with the hub

An action is JSON: "name" for a case without values, {"name": value} for a case with one, {"name": {"label": value, ...}} or
{"name": [value, ...]} for several. After `send` and `resume`, the state is attached once more, and must have the same bytes; its
hash must be the hub's.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from . import blocking
from ._json import from_json, to_json
from ._events import Phase
from .errors import Rejected, StoreHubError
from .paths import PlainPath
from .schema import Schema
from .states import Live

ROOTS = {"feature": 0, "hub": 1}


def main(socket: str, command: str, *arguments: str) -> None:
    """Runs one command."""
    if command == "follow":
        follow(socket)
        return
    with blocking.connect(socket, name="storehub.py", wait=120, timeout=120) as hub:
        if command == "schema":
            print(json.dumps(schema_of(hub, *arguments).as_json(), indent=1))
        elif command == "state":
            part = hub.attach(PlainPath((), None, ROOTS[arguments[0] if arguments else "feature"]))
            print(json.dumps(to_json(part.value), indent=1))
        elif command in ("send", "resume"):
            play(hub, [json.loads(text) for text in arguments], command == "resume")
        else:
            sys.exit(__doc__)


def schema_of(hub: blocking.Hub, root: str = "feature") -> Schema:
    """The schema of a root."""
    hub.attach(PlainPath((), None, ROOTS[root]))
    schema = hub._core.schema(ROOTS[root])
    assert schema
    return schema


def play(hub: blocking.Hub, actions: list[Any], cuts: bool) -> None:
    """Sends actions, and prints the state to which the deltas led."""
    part = hub.attach(PlainPath())
    types = hub._core.types()
    assert types
    sent: list[blocking.Sent] = []
    for action in actions:
        sent.append(hub.begin(from_json(types.action, action)))
        if cuts:
            # The hub may or may not have read the action.
            hub._cut()
            hub._pump(lambda: hub._core.phase is Phase.OPEN, 120)
        else:
            outcome(sent[-1])
    for one in sent:
        outcome(one)
    hub._pump(lambda: hub._core.phase is Phase.OPEN, 120)
    again = hub.attach(PlainPath())
    if types.state.encoded(again.value) != types.state.encoded(part.value):
        sys.exit("storehub: the deltas led to another state than the snapshot has")
    if part.verify() is False:
        sys.exit("storehub: the hub's hash of the state differs")
    print(json.dumps({"deltas": part._subscription.deltas, "state": to_json(part.value)}, indent=1))


def outcome(sent: blocking.Sent) -> None:
    """Waits for an outcome, and prints a rejection."""
    try:
        sent.wait(120)
    except Rejected as error:
        print(f"action {sent._action.sequence} was refused with code {int(error.code)}: {error.reason}", file=sys.stderr)


def follow(socket: str) -> None:
    """Prints each state until the hub ends."""
    with blocking.connect(socket, name="storehub.py", wait=120, timeout=120) as hub:
        part = hub.attach(PlainPath())
        seen = 0
        while True:
            subscription = part._subscription
            if subscription.version != seen:
                seen = subscription.version
                print(json.dumps({"revision": part.revision, "state": to_json(part.value)}), flush=True)
            if not isinstance(hub.state, Live):
                print(json.dumps({"goodbye": getattr(hub.state, "reason", "")}), flush=True)
                return
            hub.poll(1)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (StoreHubError, OSError) as error:
        sys.exit(f"storehub: {error}")
