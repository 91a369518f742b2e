"""`storectl generate`, with a real hub: from the hub, from its journal and from a schema file."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
import unittest

from .hubs import HubProcess, program

STORECTL = pathlib.Path(program()).with_name("storectl")
APP = pathlib.Path(__file__).with_name("generated") / "app.py"


@unittest.skipUnless(os.access(STORECTL, os.X_OK), "there is no storectl beside the hub")
class Generate(unittest.TestCase):
    def run_tool(self, hub: HubProcess, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(STORECTL), *arguments], env={"STOREHUB_SOCKET": hub.socket, "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True, timeout=240, check=False)  # fmt: skip

    def test_the_checked_in_file_is_that_of_the_hub(self) -> None:
        with HubProcess() as hub:
            done = self.run_tool(hub, "generate", "python", "-o", str(APP), "--check")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.run_tool(hub, "generate", "python").stdout, APP.read_text(encoding="utf-8"))

    def test_a_schema_file_gives_the_same_and_a_journal_the_same_without_comments(self) -> None:
        with HubProcess() as hub, tempfile.TemporaryDirectory() as folder:
            schema, output = pathlib.Path(folder, "schema.json"), pathlib.Path(folder, "out")
            schema.write_text(self.run_tool(hub, "schema", "--json").stdout, encoding="utf-8")
            self.assertEqual(
                self.run_tool(hub, "generate", "python", "-o", "-").stdout, self.run_tool(hub, "generate", "python").stdout)
            for language in ("python", "typescript", "swift"):
                done = self.run_tool(hub, "generate", language, "--schema", str(schema), "-o", str(output))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(output.read_text(encoding="utf-8"), self.run_tool(hub, "generate", language).stdout)
            # A journal has a schema from its first turn on.
            from storehub import blocking

            with blocking.connect(hub.socket) as client:
                client.send({"counter": "incrementButtonTapped"})
            done = self.run_tool(hub, "generate", "python", "--state-dir", f"{hub.directory}/state")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.splitlines()[1], APP.read_text(encoding="utf-8").splitlines()[1])

    def test_a_file_that_is_out_of_date_is_named_with_its_first_difference(self) -> None:
        with HubProcess() as hub, tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder, "app.py")
            text = APP.read_text(encoding="utf-8").replace("    count: int", "    number: int", 1)
            old.write_text(text, encoding="utf-8")
            done = self.run_tool(hub, "generate", "python", "--output", str(old), "--check")
            self.assertEqual(done.returncode, 8)
            self.assertIn("is '    number: int', and would be '    count: int'", done.stderr)
            self.assertEqual(old.read_text(encoding="utf-8"), text)
            self.run_tool(hub, "generate", "python", "--output", str(old))
            self.assertEqual(old.read_text(encoding="utf-8"), APP.read_text(encoding="utf-8"))

    def test_a_link_stays_one_and_the_file_it_leads_to_is_written(self) -> None:
        with HubProcess() as hub, tempfile.TemporaryDirectory() as folder:
            real, link, dangling = (pathlib.Path(folder, name) for name in ("real.py", "link.py", "dangling.py"))
            real.write_text("old", encoding="utf-8")
            real.chmod(0o600)
            link.symlink_to("real.py")
            dangling.symlink_to("nothing.py")
            done = self.run_tool(hub, "generate", "python", "--output", str(link))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(link.is_symlink())
            self.assertEqual(real.read_text(encoding="utf-8"), APP.read_text(encoding="utf-8"))
            self.assertEqual(real.stat().st_mode & 0o777, 0o600)
            done = self.run_tool(hub, "generate", "python", "--output", str(dangling))
            self.assertEqual(done.returncode, 1)
            self.assertIn("leads nowhere", done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["dangling.py", "link.py", "real.py"])

    def test_wrong_command_lines(self) -> None:
        with HubProcess(journal=False) as hub:
            for arguments, status, text in (
                (["generate", "cobol"], 2, "python, typescript, swift"),
                (["generate", "python", "--check"], 2, "--check needs --output"),
                (["generate", "python", "--schema", "/dev/null"], 1, "is not a schema"),
                (["generate", "python", "--schema", hub.directory], 1, "Is a directory"),
                (["generate", "python", "-o", hub.directory], 1, "Is a directory"),
                (["generate", "python", "-o", hub.directory, "--check"], 1, "Is a directory"),
                (["generate", "python", "-o", hub.directory + "/none.py", "--check"], 1, "none.py: No such file"),
            ):
                done = self.run_tool(hub, *arguments)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
