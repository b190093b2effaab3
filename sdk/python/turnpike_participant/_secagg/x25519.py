"""X25519 of RFC 7748 on Python's integers. Not in constant time: the keys serve for one round and one process."""

from __future__ import annotations

from typing import Optional

#: Bytes of a private key, a public key and of what two of them agree on.
KEY_BYTES = 32

_PRIME = 2**255 - 19
_A24 = 121665
_BASE = (9).to_bytes(32, "little")


def public_of(secret: bytes) -> bytes:
    """The public key that belongs to 32 secret bytes."""
    return _multiply(secret, _BASE)


def agree(secret: bytes, other: bytes) -> Optional[bytes]:
    """What both sides get from their own secret and the other's public key; None for a key that is none."""
    shared = _multiply(secret, other)
    return shared if any(shared) else None


def _multiply(secret: bytes, point: bytes) -> bytes:
    """The Montgomery ladder, step by step as the RFC has it."""
    scalar = int.from_bytes(secret, "little") & ~7 & (2**255 - 1) | 2**254
    x1 = int.from_bytes(point, "little") & (2**255 - 1)
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for at in range(254, -1, -1):
        bit = scalar >> at & 1
        if swap ^ bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b = x2 + z2, x2 - z2
        aa, bb = a * a % _PRIME, b * b % _PRIME
        e = aa - bb
        da, cb = (x3 - z3) * a % _PRIME, (x3 + z3) * b % _PRIME
        x3 = (da + cb) ** 2 % _PRIME
        z3 = x1 * (da - cb) ** 2 % _PRIME
        x2 = aa * bb % _PRIME
        z2 = e * (aa + _A24 * e) % _PRIME
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, _PRIME - 2, _PRIME) % _PRIME).to_bytes(32, "little")
