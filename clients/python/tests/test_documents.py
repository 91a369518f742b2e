"""The examples of the README and of the folder `examples`, with a real hub."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

from .hubs import HubProcess

PACKAGE = pathlib.Path(__file__).resolve().parents[1]


def environment(hub: HubProcess) -> dict[str, str]:
    return {**os.environ, "STOREHUB_SOCKET": hub.socket, "PYTHONPATH": f"{PACKAGE}/src:{PACKAGE}/tests/generated", "PYTHONWARNINGS": "error"}


def run(hub: HubProcess, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], env=environment(hub), cwd=hub.directory, capture_output=True, text=True,
        timeout=240, check=False
    )
    if done.returncode or done.stderr:
        raise AssertionError(f"{arguments[-1]}: {done.stderr}")
    return done.stdout


class Documents(unittest.TestCase):
    def test_the_examples_of_the_readme_run(self) -> None:
        text = (PACKAGE / "README.md").read_text(encoding="utf-8")
        examples = re.findall(r"<!-- test -->\n```python\n(.*?)```", text, re.DOTALL)
        self.assertGreaterEqual(len(examples), 6)
        self.assertEqual(len(examples), text.count("```python"), "an example without a test")
        with HubProcess(journal=False) as hub:
            outputs = [run(hub, "-c", example) for example in examples]
        self.assertEqual(outputs[:3], [
            "['oat milk']\n", "1\n", "in todos.addButtonTapped: 5 is not a value of type String\n",
        ])  # fmt: skip

    def test_the_command_for_todos(self) -> None:
        with HubProcess(journal=False) as hub:
            script = str(PACKAGE / "examples" / "todo.py")
            self.assertEqual(run(hub, script), "")
            run(hub, script, "add", "oat milk")
            run(hub, script, "add", "bread")
            self.assertEqual(run(hub, script, "done", "0"), "   0 x oat milk\n   1   bread\n")
            self.assertEqual(run(hub, script, "remove", "1"), "   0 x oat milk\n")
            # The texts are from other users, and the terminal is this one's.
            run(hub, script, "add", "a\x1b[31mb\n\u202ec 水")
            self.assertEqual(run(hub, script), "   2   a\ufffd[31mb\ufffd\ufffdc 水\n   0 x oat milk\n")

    def test_the_line_for_a_status_bar_survives_a_restart(self) -> None:
        with HubProcess() as hub:
            run(hub, str(PACKAGE / "examples" / "todo.py"), "add", "oat milk")
            script = str(PACKAGE / "examples" / "statusline.py")
            # env(1), because a shell ignores SIGINT for what it runs in the background.
            command = ["env", "--default-signal=INT", sys.executable, script]
            with subprocess.Popen(command, env=environment(hub), stdout=subprocess.PIPE, text=True) as line:
                assert line.stdout
                self.assertEqual(line.stdout.readline(), "1 open\n")
                hub.kill()
                self.assertIn("no hub", line.stdout.readline())
                hub.start()
                self.assertEqual(line.stdout.readline(), "the hub is back\n")
                run(hub, str(PACKAGE / "examples" / "todo.py"), "add", "bread")
                self.assertEqual(line.stdout.readline(), "2 open\n")
                line.send_signal(signal.SIGINT)
                try:
                    self.assertEqual(line.wait(120), 0)
                finally:
                    line.kill()

    def test_the_command_line(self) -> None:
        with HubProcess() as hub:
            output = run(hub, "-m", "storehub", hub.socket, "resume", '{"counter": "incrementButtonTapped"}',
                         '{"todos": {"addButtonTapped": "x"}}', '{"counter": "incrementButtonTapped"}')  # fmt: skip
            self.assertIn('"count": 2', output)


if __name__ == "__main__":
    unittest.main()
