"""Masks: words of 32 bits that a seed becomes, added to an update or taken away, modulo 2^32."""

from __future__ import annotations

import hashlib

#: Words that are made from a seed at once: the mask of a large model never exists as a whole.
_BLOCK_WORDS = 65_536
_BLOCK_BYTES = 4 * _BLOCK_WORDS


def add_mask(words: bytearray, seed: bytes, sign: int) -> None:
    """Words of SHAKE-128(seed, number of the block), little-endian."""
    for block, start in enumerate(range(0, len(words), _BLOCK_BYTES)):
        size = min(_BLOCK_BYTES, len(words) - start)
        mask = hashlib.shake_128(seed + block.to_bytes(4, "little")).digest(size)
        words[start : start + size] = _add(bytes(words[start : start + size]), mask, sign)


def _add(words: bytes, mask: bytes, sign: int) -> bytes:
    """All words of a block at once, as one integer; the highest bit of each is added apart, so nothing carries over."""
    size = len(words)
    high = int.from_bytes(b"\x00\x00\x00\x80" * (size // 4), "little")
    low = int.from_bytes(b"\xff\xff\xff\x7f" * (size // 4), "little")
    a, b = int.from_bytes(words, "little"), int.from_bytes(mask, "little")
    if sign > 0:
        sums = ((a & low) + (b & low)) ^ ((a ^ b) & high)
    else:
        sums = ((a | high) - (b & low)) ^ ((a ^ b ^ high) & high)
    return sums.to_bytes(size, "little")
