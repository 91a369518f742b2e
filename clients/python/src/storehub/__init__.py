"""A client of StoreHub hubs.

    import asyncio, storehub

    async def main():
        async with storehub.connect() as hub:
            todos = await hub.attach("todos.todos")
            await hub.send({"todos": {"addButtonTapped": "oat milk"}})
            async for value in todos.values():
                print([todo["text"] for todo in value])

    asyncio.run(main())

`storehub.blocking` has the same for programs without asyncio. `storectl generate python` writes the types of a feature.
"""

from . import blocking, errors, values
from ._cbor import Item, Map
from .aio import Hub, Part, Sent, Update, connect
from .options import Options
from .errors import *  # noqa: F403
from .hub_state import AttachedPart, Attendee
from .paths import ArrayPath, ElementsPath, Path, PlainPath, path, views
from .schema import CaseBinding, EnumBinding, Model, Schema, StructBinding
from .states import Connecting, ConnectionState, Ended, Live, Stale
from .values import *  # noqa: F403

__version__ = "0.1.0"

__all__ = [
    "ArrayPath", "AttachedPart", "Attendee", "CaseBinding", "Connecting", "ConnectionState", "ElementsPath", "Ended",
    "EnumBinding", "Hub", "Item", "Live", "Map", "Model", "Options", "Part", "Path", "PlainPath", "Schema", "Sent", "Stale",
    "StructBinding", "Update", "blocking", "connect", "path", "views",
]  # fmt: skip
__all__ += errors.__all__
__all__ += values.__all__
