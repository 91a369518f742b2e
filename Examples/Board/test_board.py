#!/usr/bin/env python3
"""The board as its README says: the page in a headless browser, two terminals and a script. What one changes appears in
all, also after the hub was killed, and nothing is lost or done twice.

    test_board.py PROGRAMS      the directory of storehubd, storegate, storectl and storeterm
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BOARD = pathlib.Path(__file__).resolve().parent
REPOSITORY = BOARD.parents[1]
sys.path.insert(0, str(REPOSITORY / "Tests/Fixtures/browser"))
import browser  # noqa: E402

PATIENCE = 240


def until(what, condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"test_board: {what} did not happen within {seconds} s")
        time.sleep(0.05)


class Terminal:
    """storeterm in a terminal of its own."""

    server = f"board-{os.getpid()}"

    def __init__(self, name, programs, hub):
        self.name = name
        command = f"env LANG=C.UTF-8 '{programs}/storeterm' --wait --socket '{hub}'"
        self.tmux("new-session", "-d", "-s", name, "-x", "80", "-y", "30", command)
        until(f"the first screen of terminal {name}", lambda: "quit" in self.screen())
        until(f"the todos in terminal {name}", self.shows_todos)

    def shows_todos(self):
        if "add" in self.screen():
            return True
        self.keys("2")
        return False

    def tmux(self, *arguments):
        done = subprocess.run(
            ["tmux", "-L", self.server, "-f", "/dev/null", *arguments], stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout

    def keys(self, *keys):
        self.tmux("send-keys", "-t", self.name, *keys)

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", self.name)

    def until_shown(self, text):
        try:
            until(f"'{text}' in terminal {self.name}", lambda: text in self.screen())
        except SystemExit:
            print(self.screen(), file=sys.stderr)
            raise

    def add(self, text):
        self.keys("a")
        self.tmux("send-keys", "-t", self.name, "-l", text)
        self.keys("Enter")


class Board:
    """What ./start starts."""

    def __init__(self, programs, directory):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.programs, self.hub = programs, f"{directory}/hub.sock"
        self.environment = {
            **os.environ, "BOARD_PROGRAMS": programs, "BOARD_DIRECTORY": directory, "BOARD_PORT": port,
            "STOREHUB_SOCKET": self.hub, "PYTHONPATH": str(REPOSITORY / "clients/python/src"), "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [BOARD / "start"], env=self.environment, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.address = ""
        while not self.address.startswith("http"):
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("test_board: ./start has ended")
            self.address = line.split()[-1] if "#token=" in line else ""

    def hub_process(self):
        """The hub's process, from the kernel's table of the children of ./start."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid), "storehubd"], stdout=subprocess.PIPE, text=True)
        return int(children.stdout.split()[0])

    def stop(self):
        """Stops the hub and the gateway, as Ctrl-C does."""
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(PATIENCE)

    def script(self, *arguments):
        """clients/python/examples/todo.py; returns what it has printed."""
        program = REPOSITORY / "clients/python/examples/todo.py"
        done = subprocess.run(
            [sys.executable, program, *arguments], env=self.environment, stdout=subprocess.PIPE, text=True, check=True,
            timeout=PATIENCE)
        return done.stdout


def main(programs):
    missing = [name for name in ("tmux", "tsc") if not shutil.which(name)]
    if browser.program() is None:
        missing.append("chromium")
    if missing:
        print(f"test_board: skipped, since {', '.join(missing)} is not installed")
        return
    directory = tempfile.mkdtemp(prefix="board")
    board = Board(programs, directory)
    texts = []
    try:
        with browser.Browser() as page:
            page.go(board.address)
            page.wait("document.querySelector('#state').innerText == 'live'")
            assert "#" not in page.run("location.href"), "the token is in the history"
            terminals = [Terminal(name, programs, board.hub) for name in ("one", "other")]

            def in_page(text):
                page.run(f"document.querySelector('#text').value = {text!r}")
                page.click("#new button")

            def everywhere(text):
                """A todo was added: it is in the page, in both terminals and in the script's list."""
                texts.append(text)
                page.wait_text("#todos li", text, PATIENCE)
                for terminal in terminals:
                    terminal.until_shown(text)
                until(f"'{text}' in the list of the script", lambda: text in board.script())

            in_page("from-the-page")
            everywhere("from-the-page")
            terminals[0].add("from-a-terminal")
            everywhere("from-a-terminal")
            board.script("add", "from-the-script")
            everywhere("from-the-script")

            # A tick in the page, and a deletion in the script.
            page.click("#todos li input")
            until("the tick", lambda: re.search(r"x from-the-page", board.script()))
            number = re.search(r"(\d+)\s+from-the-script", board.script()).group(1)
            board.script("remove", number)
            page.wait("document.querySelectorAll('#todos li').length == 2", PATIENCE)
            for terminal in terminals:
                until("the deletion in a terminal", lambda: "from-the-script" not in terminal.screen())
            texts.remove("from-the-script")

            # The hub is killed under all of them. What is done meanwhile waits, and takes effect once.
            os.kill(board.hub_process(), signal.SIGKILL)
            board.process.wait(PATIENCE)
            page.wait("document.body.classList.contains('away')", PATIENCE)
            in_page("while-it-was-away")
            assert "from-the-page" in page.text("#todos"), "the page has lost its list"
            board.start()
            everywhere("while-it-was-away")
            page.wait("document.querySelector('#state').innerText == 'live'", PATIENCE)
            terminals[1].add("after-the-kill")
            everywhere("after-the-kill")
            # Each once.
            assert sorted(line.split()[-1] for line in board.script().splitlines()) == sorted(texts), board.script()
            assert sorted(page.text("#todos span").split()) == sorted(texts)
            print(f"test_board: {len(texts)} todos are in the page, two terminals and the script")
    finally:
        board.stop()
        subprocess.run(["tmux", "-L", Terminal.server, "kill-server"], stderr=subprocess.DEVNULL)
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
