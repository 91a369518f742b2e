"""Reads the files of Tests/Golden."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "Tests" / "Golden"


@dataclass
class Entry:
    """A line that begins with `@`, `>` or `<`, and the indented lines after it."""

    mark: str
    title: str
    line: int
    values: dict[str, str] = field(default_factory=dict)

    def data(self, name: str) -> bytes:
        """The bytes of a line."""
        return bytes.fromhex(self.values.get(name, ""))

    @property
    def header(self) -> tuple[int, int, int, int, int]:
        """Length, kind, flags, scope and revision."""
        raw = bytes.fromhex(self.values["header"].replace(" ", ""))
        number = lambda start, end: int.from_bytes(raw[start:end], "little")  # noqa: E731
        return number(0, 4), raw[4], raw[5], number(6, 8), number(8, 16)

    @property
    def connection(self) -> str:
        """The name of the connection of a frame or an event."""
        return self.title.rpartition("connection ")[2].split()[0] if "connection " in self.title else ""


def entries(name: str) -> Iterator[Entry]:
    """The entries of a file."""
    entry: Entry | None = None
    for line, text in enumerate((FOLDER / name).read_text(encoding="utf-8").splitlines(), 1):
        if text.startswith("  ") and entry:
            key, _, value = text.strip().partition(": ")
            entry.values[key] = value
        elif text[:1] in ("@", ">", "<"):
            if entry:
                yield entry
            entry = Entry(text[0], text[2:], line)
    if entry:
        yield entry
