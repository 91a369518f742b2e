"""Hubs for the tests: the real one, a proxy that cuts its connections, and one that says what a test tells it to."""

from __future__ import annotations

import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]


def program() -> str:
    """The hub: `$STOREHUBD`, or the one that was built last."""
    named = os.environ.get("STOREHUBD")
    if named:
        return named
    built = [path for path in ROOT.glob(".build/*/storehubd") if os.access(path, os.X_OK)]
    built += [path for path in ROOT.glob(".build/*/*/storehubd") if os.access(path, os.X_OK)]
    if not built:
        raise SystemExit("there is no storehubd in .build: swift build --product storehubd")
    return str(max(built, key=lambda path: path.stat().st_mtime))


class HubProcess:
    """A hub with a state directory, in a directory of its own."""

    def __init__(self, *options: str, journal: bool = True) -> None:
        # Not the directory of the repository, whose path may be too long for a socket.
        self.directory = tempfile.mkdtemp(prefix="hub", dir=os.environ.get("TMPDIR"))
        self.socket = os.path.join(self.directory, "hub.sock")
        self.options = (*options, *(("--state-dir", os.path.join(self.directory, "state")) if journal else ()))
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> HubProcess:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self) -> None:
        """Starts the hub, and returns when it takes connections."""
        log = open(os.path.join(self.directory, "log"), "ab")  # noqa: SIM115
        command = [program(), "--socket", self.socket, "--log-level", "error", *self.options]
        with log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + 240
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"the hub ended: {self.log()}")
            with socket.socket(socket.AF_UNIX) as stream:
                try:
                    stream.connect(self.socket)
                    return
                except OSError:
                    time.sleep(0.005)
        raise AssertionError(f"the hub does not answer: {self.log()}")

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Ends the hub with a signal."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(240)
            self.process = None

    def stop(self) -> None:
        """Stops the hub until SIGCONT: returns when none of its threads runs any more."""
        assert self.process
        self.process.send_signal(signal.SIGSTOP)
        threads = pathlib.Path(f"/proc/{self.process.pid}/task")
        while any((one / "stat").read_text().rpartition(")")[2].split()[0] not in "Tt" for one in threads.iterdir()):
            time.sleep(0.001)

    def log(self) -> str:
        """What the hub has printed."""
        return pathlib.Path(self.directory, "log").read_text(errors="replace")[-2000:]


class CuttingProxy:
    """Passes bytes between clients and a hub, in pieces of any size, and cuts a connection after a random number of bytes."""

    def __init__(self, hub: str, path: str, seed: int, longest: int) -> None:
        self.hub, self.draw, self.longest, self.cuts = hub, random.Random(seed), longest, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        self.is_faithful = False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            hub = socket.socket(socket.AF_UNIX)
            try:
                hub.connect(self.hub)
            except OSError:
                client.close()
                hub.close()
                continue
            budget = [1 << 60 if self.is_faithful else self.draw.randrange(1, self.longest)]
            threading.Thread(target=self.serve, args=(client, hub, budget), daemon=True).start()

    def serve(self, client: socket.socket, hub: socket.socket, budget: list[int]) -> None:
        with client, hub:
            back = threading.Thread(target=self.copy, args=(hub, client, budget), daemon=True)
            back.start()
            self.copy(client, hub, budget)
            back.join()

    def copy(self, source: socket.socket, target: socket.socket, budget: list[int]) -> None:
        try:
            while True:
                data = source.recv(random.Random(budget[0]).choice([1, 7, 100, 4096]))
                if not data:
                    break
                budget[0] -= len(data)
                target.sendall(data[: len(data) + min(budget[0], 0)])
                if budget[0] <= 0:
                    self.cuts += 1
                    break
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        """Takes no further connections."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
