"""The conformance suite finds planted bugs: each of these clients fails a case of the section."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest
from concurrent.futures import ThreadPoolExecutor

from .hubs import program

ROOT = pathlib.Path(__file__).resolve().parents[3]

MUTANTS = {
    # A delta from another revision is applied.
    "a delta from another": """
        old = _parts.Subscription.delta
        def delta(self, frame):
            self.revision = _cbor.decoded(frame.payload)[0]
            return old(self, frame)
        core._PART_HANDLERS[_messages.DELTA] = delta
        """,
    # All actions without an outcome are sent again, under new numbers.
    "after a cut": "core.Core._resend = lambda self, processed: self._waiting.extend(self._sent) or self._sent.clear()",
    # A lost session is taken for a resumed one.
    "a lost session": "core.Core._give_up_sent = lambda self: core.Core._resend(self, 0)",
    # The revision is named although the history is another one.
    "another history": "core.Core._knows_revisions = property(lambda self: True, lambda self, value: None)",
    # Unknown keys of a welcome are malformed.
    "unknown keys": "_messages.Reader.skip = lambda self: self.unsigned()",
    # Hashes are never compared.
    "a hash is": "definitions.StructType.keeps = property(lambda self: False)",
    # A part that is refused for good waits for room.
    "refused with code 6": "core.TOO_MANY_SCOPES = 6",
    # Rejections are forgotten.
    "every code": "core._HANDLERS[_messages.REJECTED] = lambda self, frame: None",
}


class Mutants(unittest.TestCase):
    def test_each_planted_bug_is_found(self) -> None:
        # The same without a bug, so that a mistake in this test is no bug that was found.
        bugs = [*MUTANTS.items(), *((case, "") for case in MUTANTS)]
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as pool:
            for (case, bug), done in zip(bugs, pool.map(lambda one: judge(folder, *one), bugs)):
                with self.subTest(case=case, bug=bug):
                    self.assertEqual(done.returncode, 1 if bug else 0, done.stdout)
                    self.assertEqual("FAILED" in done.stdout, bool(bug))


LOST_AND_DOUBLED = {
    # What was sent and has no outcome is forgotten: some of a client's actions, or all that it may have without one.
    "actions have no outcome|s for an outcome": "core.Core._resend = lambda self, processed: self._sent.clear()",
    # Each action is sent twice.
    "todos are in the hub": """
        begin = core.Core.begin
        core.Core.begin = lambda self, value, seen=None: (begin(self, value, seen), begin(self, value, seen))[1]
        """,
}


class Kills(unittest.TestCase):
    def test_lost_and_doubled_actions_are_found(self) -> None:
        for failure, bug in LOST_AND_DOUBLED.items():
            # A client that forgets actions waits for ever; others have the time that a busy machine takes.
            environment = {**os.environ, "CONFORMANCE_TIMEOUT": "10" if "outcome" in failure else "120"}
            with self.subTest(bug=bug), tempfile.TemporaryDirectory() as folder:
                client = write(folder, "kills", bug)
                campaign = [sys.executable, str(ROOT / "Tests/Conformance/campaign.py"), "--hub", program(), "--kills", "3"]
                command = [*campaign, "--client", f"{sys.executable} {client}"]
                done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(done.stderr, rf"FAILED with --seed \d+: .*({failure})")


def write(folder: str, name: str, bug: str) -> pathlib.Path:
    """A client that has a bug."""
    client = pathlib.Path(folder, f"{name}.py")
    client.write_text(
        f"import runpy, sys\nsys.path.insert(0, {str(ROOT / 'clients/python/src')!r})\n"
        "from storehub import _cbor, _messages, _parts, core\nfrom storehub._types import definitions\n"
        f"{textwrap.dedent(bug)}\nrunpy.run_path({str(ROOT / 'clients/python/tests/conformant.py')!r})\n"
    )
    return client


def judge(folder: str, case: str, bug: str) -> subprocess.CompletedProcess[str]:
    """Runs a case with a client that has a bug."""
    client = write(folder, str(abs(hash((case, bug)))), bug)
    command = [sys.executable, str(ROOT / "Tests/Conformance/conformance.py"), "--only", case, sys.executable, str(client)]
    # A client with a bug may wait for ever; one without has the time that a busy machine takes.
    environment = {**os.environ, "CONFORMANCE_TIMEOUT": "3" if bug else "120", "PYTHONPATH": ""}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)


if __name__ == "__main__":
    unittest.main()
