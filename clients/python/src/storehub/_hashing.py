"""The hash of a state (PROTOCOL.md, 13)."""

from __future__ import annotations

from collections.abc import Iterable

PRIME = (1 << 61) - 1
BASE = 0x13C6EF372FE94F8E


def xxh3(data: bytes) -> int:
    """XXH3_64bits with the seed 0."""
    # Only a program that compares hashes needs the library.
    import xxhash

    return xxhash.xxh3_64_intdigest(data)


def sequence_hash(hashes: Iterable[int]) -> int:
    """The hash of a sequence of elements with these hashes."""
    result = 0
    for one in hashes:
        result = (result * BASE + one) % PRIME
    return result
