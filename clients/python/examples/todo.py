#!/usr/bin/env python3
"""The shared todos on the command line.

    todo.py                list them
    todo.py add TEXT       add one
    todo.py done ID        complete one
    todo.py remove ID      remove one
"""

from __future__ import annotations

import sys
from typing import Any

import storehub
from storehub import blocking


def action(command: str, argument: str) -> Any:
    """The action for a command."""
    if command == "add":
        return {"addButtonTapped": argument}
    if command == "done":
        return {"todos": {"element": {"id": int(argument), "action": {"completionChanged": True}}}}
    if command == "remove":
        return {"deleteButtonTapped": int(argument)}
    sys.exit(__doc__)


def printable(text: str) -> str:
    """The text without characters that could control the terminal: any user may have written it."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def main(*arguments: str) -> None:
    """Runs one command."""
    with blocking.connect(name="todo.py") as hub:
        if arguments:
            command, argument = arguments
            hub.send({"todos": action(command, argument)}, timeout=10)
        for todo in hub.attach("todos.todos").value:
            print(f"{todo['id']:4} {'x' if todo['isComplete'] else ' '} {printable(todo['text'])}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (storehub.StoreHubError, TimeoutError, ValueError) as error:
        sys.exit(f"todo.py: {error}")
