"""Secrets in shares: any `threshold` of them give the secret back, fewer tell nothing."""

from __future__ import annotations

from typing import List, Sequence

from .random_source import random_bytes

#: The first prime above 2^256, so that any 32 bytes are an element of its field.
_PRIME = 2**256 + 297

SECRET_BYTES = 32
SHARE_BYTES = 33
#: Random bytes for one coefficient: so many more than the prime has that no element is likelier than another.
_COEFFICIENT_BYTES = 48


def split_secret(secret: bytes, threshold: int, places: Sequence[int]) -> List[bytes]:
    """One share for every place (1, 2, ...)."""
    drawn = random_bytes(_COEFFICIENT_BYTES * (threshold - 1))
    polynomial = [int.from_bytes(secret, "big")]
    for at in range(0, len(drawn), _COEFFICIENT_BYTES):
        polynomial.append(int.from_bytes(drawn[at : at + _COEFFICIENT_BYTES], "big") % _PRIME)
    shares = []
    for place in places:
        value = 0
        for coefficient in reversed(polynomial):
            value = (value * place + coefficient) % _PRIME
        shares.append(value.to_bytes(SHARE_BYTES, "big"))
    return shares
