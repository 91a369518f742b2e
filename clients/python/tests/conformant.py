"""The Python client for the conformance suite (Tests/Conformance): reads commands and writes what happens, as lines of JSON."""

from __future__ import annotations

import asyncio
import json
import pathlib
import sys
import warnings
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))
import storehub  # noqa: E402
from storehub._cbor import Reader  # noqa: E402


def write(**line: Any) -> None:
    print(json.dumps(line), flush=True)


class Program:
    """The commands."""

    def __init__(self) -> None:
        self.hub: storehub.Hub | None = None
        self.parts: dict[int, storehub.Part[Any]] = {}
        self.sent: dict[int, storehub.Sent] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            command = json.loads(line)
            verb = command.pop("do")
            if verb == "connect":
                self.hub = storehub.connect(command["socket"], wait=0, longest_delay=0.2)
                await self.hub.__aenter__()
                self.start(self.watch())
            elif verb == "close":
                assert self.hub
                await self.hub.close()
                return
            else:
                self.start(getattr(self, verb)(**command))

    def start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def watch(self) -> None:
        assert self.hub
        async for state in self.hub.states():
            if isinstance(state, storehub.Ended):
                write(ended=state.reason)

    async def attach(self, part: int, path: list[Any]) -> None:
        assert self.hub
        place = storehub.path
        for step in path:
            if isinstance(step, str):
                place = place.field(step)
            elif "id" in step:
                place = place[step["id"]]
            else:
                start, count = step["window"]
                end = start + count
                place = place[start : end if start >= 0 or end < 0 else None]
        try:
            attached = self.parts[part] = await self.hub.attach(place)
            async for update in attached.updates():
                kind = attached._subscription.type
                assert kind
                data = kind.encoded(update.value).hex() if update.is_present else None
                write(part=part, revision=update.revision, bytes=data)
        except storehub.StoreHubError as error:
            write(part=part, error=str(error))

    async def detach(self, part: int) -> None:
        await self.parts[part].detach()

    async def verify(self, part: int) -> None:
        write(part=part, matches=await self.parts[part].verify())

    async def send(self, action: int, bytes: str) -> None:  # noqa: A002
        assert self.hub
        try:
            await self.hub.schema()
            types = self.hub._core.types()
            assert types
            value = types.action.read(Reader(bytearray.fromhex(bytes)))
            self.sent[action] = await self.hub.begin(value)
            await self.sent[action]
            write(action=action, outcome="applied")
        except storehub.Rejected as error:
            write(action=action, outcome="rejected", code=int(error.code), reason=error.reason)
        except storehub.OutcomeUnknown:
            write(action=action, outcome="unknown")
        except storehub.StoreHubError:
            write(action=action, outcome="invalid")

    async def cancel(self, action: int) -> None:
        self.sent[action].cancel()


# A different hash is what a case is about.
warnings.simplefilter("ignore")
asyncio.run(Program().run())
