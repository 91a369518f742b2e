"""Windows of collections (PROTOCOL.md, 6.3.1)."""

from __future__ import annotations

from typing import Any

from .. import _cbor
from ..values import Window
from .base import Type
from .definitions import Field, StructType
from .scalars import IntegerType
from .steps import RawStep, WindowStep


def window_step(collection: Type, step: Any) -> tuple[list[Any], Type] | None:
    """The step to a window, if it is one."""
    if not isinstance(step, WindowStep):
        return None
    out = bytearray(b"\x82")
    _cbor.write_integer(out, step.start)
    _cbor.write_integer(out, step.count)
    integer = IntegerType("Int", -(1 << 63), (1 << 63) - 1)
    window = StructType("Window", (), Window)
    window.complete(
        [
            Field(0, "count", "count", integer, False),
            Field(1, "start", "start", integer, False),
            Field(2, "elements", "elements", collection, False),
        ]
    )
    return [RawStep(bytes(out))], window
