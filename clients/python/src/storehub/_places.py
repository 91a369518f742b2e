"""Where a hub's socket is, and how paths are written."""

from __future__ import annotations

import os
import re
import stat
from typing import Any

from ._cbor import brief
from ._types import Identity, WindowStep
from .errors import ConnectionFailed, UnknownPart
from .paths import Path, PlainPath, Step, views

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|`([^`]*)`")
_INTEGER = re.compile(r"-?[0-9]+")
_FROM_START = re.compile(r"([0-9]+)\.\.<([0-9]+)")
_FROM_END = re.compile(r"-([0-9]+)\.\.\.")


def socket_path(path: str | None) -> str:
    """The socket to connect to: the argument, `$STOREHUB_SOCKET`, or the default place (PROTOCOL.md, 2)."""
    if path is not None and path != "":
        text = os.fspath(path)
        if not isinstance(text, str) or "\0" in text:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"{path!r} is no path of a socket")
        return text
    named = os.environ.get("STOREHUB_SOCKET")
    if named:
        return named
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        return os.path.join(runtime, "storehub", "hub.sock")
    directory = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"storehub-{os.getuid()}")
    try:
        status = os.lstat(directory)
    except OSError:
        return os.path.join(directory, "hub.sock")
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise ConnectionFailed(f"{directory} belongs to another user, or others may write to it: name the socket instead")
    return os.path.join(directory, "hub.sock")


def parsed(path: Path[Any] | str) -> Path[Any]:
    """A path, or the path with this text: `todos.todos[3].text`, `todos.todos[0..<50]`, `todos.todos[-20...]`, `.`.

    `view:` precedes the path of a view: `view:active[0..<50]`.
    """
    if isinstance(path, Path):
        return path
    if not isinstance(path, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnknownPart(f"{brief(path)} is no path")
    if path.startswith("view:"):
        return PlainPath(parsed(path[len("view:") :])._steps, None, views._root)
    if path == ".":
        return PlainPath()
    steps: list[Step] = []
    rest = path
    while rest:
        if rest.startswith("["):
            inner, bracket, rest = rest[1:].partition("]")
            if not bracket:
                raise UnknownPart(f"{path}: a bracket is missing")
            steps.append(_bracket(inner, path))
            continue
        if steps:
            if not rest.startswith("."):
                raise UnknownPart(f"{path}: a dot is missing before {rest!r}")
            rest = rest[1:]
        name = _NAME.match(rest)
        if name is None:
            raise UnknownPart(f"{path}: a name is missing at {rest!r}")
        steps.append(name.group(1) if name.group(1) is not None else name.group())
        rest = rest[name.end() :]
    if not steps:
        raise UnknownPart('a path is empty; "." is the whole state')
    return PlainPath(tuple(steps))


def _bracket(text: str, path: str) -> Step:
    window = _FROM_START.fullmatch(text)
    if window:
        start, end = int(window.group(1)), int(window.group(2))
        if end <= start:
            raise UnknownPart(f"{path}: a window without elements")
        return WindowStep(start, end - start)
    window = _FROM_END.fullmatch(text)
    if window:
        return WindowStep(-int(window.group(1)), int(window.group(1)))
    if _INTEGER.fullmatch(text):
        return Identity(int(text))
    if len(text) > 1 and text[0] == text[-1] == '"':
        return Identity(text[1:-1])
    raise UnknownPart(f"{path}: [{text}] is no integer, no quoted text and no window; use storehub.path for other ids")
