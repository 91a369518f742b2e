#!/usr/bin/env python3
"""Judges a client in any language. See README.md beside this file.

    conformance.py [--hub STOREHUBD] [--only TEXT] [--list] CLIENT [ARGUMENT ...]
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cases import CASES, test
from scripted import TIMEOUT, Client, Failure, Hub, encoded, require


class RealHub:
    """A hub of storehubd with a journal, and the client."""

    def __init__(self, program, directory, command):
        self.program, self.directory = program, directory
        self.path = os.path.join(directory, "real.sock")
        self.start()
        self.client = Client(command, self.path)

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--socket", self.path, "--state-dir", f"{self.directory}/state", "--log-level", "error"])

    def restart(self, number):
        self.process.send_signal(number)
        self.process.wait(240)
        self.start()

    def close(self):
        self.client.close()
        self.process.kill()
        self.process.wait()


def add(hub, number):
    hub.client.do("send", action=number, bytes=encoded((1, (0, f"todo {number}"))).hex())


def texts(line):
    from scripted import decoded

    return [dict(todo.pairs)[1] for todo in decoded(bytes.fromhex(line["bytes"]))]


def exactly_once(hub):
    """Ten restarts, half of them by SIGKILL, while actions are sent."""
    hub.client.do("attach", part=1, path=["todos", "todos"])
    count = 0
    for restart in range(10):
        for _ in range(20):
            count += 1
            add(hub, count)
        time.sleep(0.02)
        hub.restart(signal.SIGKILL if restart % 2 else signal.SIGTERM)
    pending = set(range(1, count + 1))
    end = time.monotonic() + 6 * TIMEOUT
    while pending and time.monotonic() < end:
        line = hub.client.wait("outcomes", lambda line: line.get("action") in pending and "outcome" in line)
        require(line["outcome"] == "applied", f"{line}")
        pending.discard(line["action"])
    hub.client.do("attach", part=2, path=["todos", "todos"])
    line = hub.client.wait("the todos", lambda line: line.get("part") == 2 and "bytes" in line)
    require(texts(line) == [f"todo {number}" for number in range(1, count + 1)], f"the todos are {texts(line)}")
    hub.client.do("verify", part=1)
    require(hub.client.wait("the hash", lambda line: "matches" in line)["matches"] is True, "the hashes differ")


def schema_mapping(hub):
    """Parts and actions of the real feature, by its schema."""
    hub.client.do("attach", part=1, path=["counter", "count"])
    hub.client.value(1, 0)
    for number in (1, 2, 3):
        hub.client.do("send", action=number, bytes=encoded((0, 1)).hex())
    hub.client.value(1, 3)
    hub.client.do("attach", part=2, path=["counter", "nothing"])
    hub.client.wait("an error", lambda line: line.get("part") == 2 and "error" in line)


REAL = [("7.7", "restarts and kills of a real hub", exactly_once), ("11", "the schema of a real hub", schema_mapping)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", help="a storehubd; without it the cases with a real hub are left out")
    parser.add_argument("--only", default="", help="only the cases whose section or title contains this")
    parser.add_argument("--list", action="store_true", help="print the cases")
    parser.add_argument("client", nargs=argparse.REMAINDER, metavar="CLIENT ...")
    options = parser.parse_args()
    cases = [(section, title, Hub, function) for section, title, function in CASES]
    cases += [(section, title, None, function) for section, title, function in REAL if options.hub or options.list]
    cases = [one for one in cases if options.only in f"{one[0]} {one[1]}"]
    if options.list:
        for section, title, _, _ in cases:
            print(f"{section:9} {title}")
        return
    command = options.client
    if not command:
        parser.error("the command of a client is missing")
    if os.path.exists(command[-1]):
        command[-1] = str(pathlib.Path(command[-1]).resolve())
    failures = 0
    for section, title, kind, function in cases:
        directory = tempfile.mkdtemp(prefix="conf")
        hub = kind(directory, command) if kind else RealHub(options.hub, directory, command)
        try:
            test(hub, function)
            print(f"passed  {section:9} {title}", flush=True)
        except Failure as failure:
            failures += 1
            print(f"FAILED  {section:9} {title}\n        {failure}", flush=True)
        finally:
            hub.close()
            shutil.rmtree(directory, ignore_errors=True)
    print(json.dumps({"cases": len(cases), "failed": failures}))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
