#!/usr/bin/env python3
"""Sends actions in one frame, and again after each end of the connection until each has an outcome.

    send.py SOCKET ACTION...

An action is JSON with the names of the hub's schema. Prints the refused ones as `{"sequence number": [code, "reason"]}`.
Exits with 1 if the hub has violated the protocol.
"""

import json
import sys
import time

from client import Adder, encoder_of


def main():
    path, actions = sys.argv[1], [json.loads(text) for text in sys.argv[2:]]
    encode = encoder_of(path)
    sender = Adder("sender", path, lambda text: encode(actions[int(text)]))
    sender.sent = [str(number) for number in range(len(actions))]
    sender.is_draining.set()
    sender.start()
    deadline = time.monotonic() + 480
    while sender.is_alive() and time.monotonic() < deadline:
        sender.join(0.1)
    if sender.violations or sender.is_alive():
        sys.exit("; ".join(sender.violations) or "an action has no outcome after eight minutes")
    json.dump({str(number): refusal for number, refusal in sender.refused.items()}, sys.stdout)


if __name__ == "__main__":
    main()
