#!/usr/bin/env python3
"""Kills a hub under the load of clients in several languages at once: every action takes effect once, in its order, and all
clients end with the same state.

    campaign.py --hub STOREHUBD [--kills 100] [--seed N] --client "COMMAND ..." --client "COMMAND ..."

A client is a program as README.md beside this file describes it.
"""

import argparse
import json
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import threading
import time

from conformance import RealHub
from scripted import TIMEOUT, Client, Failure, decoded, encoded, require

# The actions of one client without an outcome.
MOST_PENDING = 16
# The hub refuses what it was handling when it was killed twice (PROTOCOL.md, 6.10).
REPEATED_CRASH = 5


class Player:
    """A client that adds todos until it is told to stop."""

    def __init__(self, number, command, path):
        self.name = f"{number}:{os.path.basename(command[0])}"
        self.client = Client(command, path)
        self.sent, self.outcomes, self.failure = [], {}, None
        self.is_stopped = threading.Event()
        self.thread = threading.Thread(target=self.play, daemon=True)
        self.client.do("attach", part=1, path=["todos", "todos"])
        self.client.wait("the todos", lambda line: line.get("part") == 1 and "bytes" in line)
        self.thread.start()

    def play(self):
        try:
            while not self.is_stopped.is_set() or len(self.outcomes) < len(self.sent):
                while not self.is_stopped.is_set() and len(self.sent) - len(self.outcomes) < MOST_PENDING:
                    self.sent.append(f"{self.name} {len(self.sent) + 1}")
                    action = encoded((1, (0, self.sent[-1])))
                    self.client.do("send", action=len(self.sent), bytes=action.hex())
                line = self.client.wait("an outcome", lambda line: "outcome" in line)
                require(line["action"] not in self.outcomes, f"{self.name}: two outcomes of {line['action']}")
                self.outcomes[line["action"]] = line
                del self.client.seen[:]
        except Failure as failure:
            self.failure = failure

    def finish(self):
        """Returns the todos that the hub must have, in order."""
        self.is_stopped.set()
        self.thread.join(120)
        if self.failure:
            raise self.failure
        require(not self.thread.is_alive(), f"{self.name}: {len(self.sent) - len(self.outcomes)} actions have no outcome")
        expected = []
        for number, text in enumerate(self.sent, 1):
            line = self.outcomes[number]
            if line["outcome"] == "applied":
                expected.append(text)
            else:
                require(line["outcome"] == "rejected" and line["code"] == REPEATED_CRASH, f"{self.name}: {line}")
        return expected

    def state(self):
        """The bytes of the todos, which the hub confirms."""
        self.client.do("verify", part=1)
        line = self.client.wait("the hash", lambda line: "matches" in line)
        require(line["matches"] is True, f"{self.name}: the hash differs from the hub's")
        self.client.do("attach", part=2, path=["todos", "todos"])
        return self.client.wait("the todos", lambda line: line.get("part") == 2 and "bytes" in line)["bytes"]


def wait_for_progress(players):
    """Waits until all get through at least once more."""
    before = [len(player.outcomes) for player in players]
    end = time.monotonic() + 6 * TIMEOUT
    while any(len(player.outcomes) <= count for player, count in zip(players, before)):
        failures = [f"{player.name}: {str(player.failure)[:200]}" for player in players if player.failure]
        require(not failures and time.monotonic() < end, f"no outcome since the last kill: {failures}")
        time.sleep(0.01)


def run(options, directory):
    draw = random.Random(options.seed)
    commands = [shlex.split(command) for command in options.client]
    hub = RealHub(options.hub, directory, commands[0])
    hub.client.close()
    players = [Player(number, command, hub.path) for number, command in enumerate(commands)]
    try:
        for kill in range(options.kills):
            # Every second kill meets clients that are connected and send; the others also those that connect or resend.
            if kill % 2 == 0:
                wait_for_progress(players)
            time.sleep(draw.uniform(0, 0.1))
            hub.restart(signal.SIGKILL)
        wait_for_progress(players)
        expected = [player.finish() for player in players]
        states = [player.state() for player in players]
        require(len(set(states)) == 1, "the clients have different states")
        found = [dict(todo.pairs)[1] for todo in decoded(bytes.fromhex(states[0]))]
        for player, texts in zip(players, expected):
            own = [text for text in found if text.startswith(f"{player.name} ")]
            require(own == texts, f"{player.name}: {len(own)} todos are in the hub, of {len(texts)} that were applied")
        return [{"client": player.name, "actions": len(player.sent), "applied": len(texts)}
                for player, texts in zip(players, expected)]
    finally:
        for player in players:
            player.client.close()
        hub.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", required=True, help="a storehubd")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--client", action="append", required=True, metavar="COMMAND")
    options = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="kills")
    try:
        print(json.dumps({"kills": options.kills, "seed": options.seed, "clients": run(options, directory)}))
    except Failure as failure:
        sys.exit(f"FAILED with --seed {options.seed}: {failure}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
