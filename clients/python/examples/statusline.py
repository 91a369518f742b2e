#!/usr/bin/env python3
"""A line for a status bar: the open todos, and whether the hub can be reached. Prints a line for each change.

    statusline.py [SOCKET]
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Any

import storehub


async def show(hub: storehub.Hub) -> None:
    """Prints the number of open todos whenever it changes."""
    todos: storehub.Part[Any] = await hub.attach("todos.todos")
    last = -1
    async for value in todos.values():
        count = sum(not todo["isComplete"] for todo in value)
        if count != last:
            last = count
            print(f"{count} open", flush=True)


async def warn(hub: storehub.Hub) -> None:
    """Prints when the hub is lost, and when it is back."""
    was_lost = False
    async for state in hub.states():
        if isinstance(state, storehub.Stale) and not was_lost:
            print(f"no hub: {state.reason}", flush=True)
        elif isinstance(state, storehub.Live) and was_lost:
            print("the hub is back", flush=True)
        was_lost = isinstance(state, storehub.Stale)


async def main(path: str | None = None) -> None:
    """Shows until it is interrupted."""
    async with storehub.connect(path, name="statusline") as hub:
        await asyncio.gather(show(hub), warn(hub))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(*sys.argv[1:]))
