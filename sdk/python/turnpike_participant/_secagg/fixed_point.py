"""A change as words of 32 bits that can be summed without rounding."""

from __future__ import annotations

import math
import struct
from typing import Iterable, Sequence

#: The largest number that one participant adds in a place, of 22 bits. It is even, so that no change is the level in the
#: middle and stays none: what half a level is off would add up, round after round.
_LEVEL_MAX = 2**22 - 2
#: So many sums of 22 bits fit into a word of 32.
PARTICIPANTS_MAX = 1024
#: Sums of so large weights fit too.
WEIGHT_MAX = 2**22 - 1


def to_words(pieces: Iterable[Sequence[float]], weight: int, clip: float, max_weight: int) -> bytearray:
    """Every number clipped, times weight / max_weight, rounded to one of 2^22 levels; the weight itself comes last.

    Nothing but float64 steps in this order, so that every language gets the same words.
    """
    share = weight / max_weight
    step = _LEVEL_MAX / (2 * clip)
    words = bytearray()
    for piece in pieces:
        levels = [math.floor((share * min(clip, max(-clip, value)) + clip) * step + 0.5) for value in piece]
        words += struct.pack(f"<{len(levels)}I", *levels)
    words += struct.pack("<I", weight)
    return words
