"""What everybody in a secure round has agreed on, and the hash of it that every secret is derived with."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Optional, Sequence, Tuple

from .._numbers import number_text

_VERSION = "turnpike secagg 1"
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True)
class RoundName:
    run_id: str
    round: int
    #: Raised whenever the coordinator begins a round again.
    attempt: int


@dataclass(frozen=True)
class Terms:
    name: RoundName
    #: Who was asked, in ascending order; a place in this list, from 1, is the place of a share.
    participants: Tuple[str, ...]
    threshold: int
    clip: float
    max_weight: int


@dataclass(frozen=True)
class PublicKeys:
    participant: str
    cipher_key: bytes
    mask_key: bytes
    #: That its owner knows what the group knows; where there is such a secret.
    proof: Optional[bytes] = field(default=None, compare=False)


def transcript_of(terms: Terms, keys: Sequence[PublicKeys]) -> bytes:
    """A hash of the terms and of everybody's keys: no secret of a round fits another one."""
    name = terms.name
    numbers = [name.round, name.attempt, terms.threshold, terms.clip, terms.max_weight, len(terms.participants)]
    words = [_VERSION, name.run_id, *(number_text(number) for number in numbers), *terms.participants]
    hashed = hashlib.sha256()
    for word in words:
        hashed.update(framed(word.encode()))
    for one in keys:
        for part in (one.participant.encode(), one.cipher_key, one.mask_key):
            hashed.update(framed(part))
    return hashed.digest()


def framed(data: bytes) -> bytes:
    """Bytes behind their length: nothing else reads the same when it is put together."""
    return len(data).to_bytes(4, "little") + data


def are_ordered(names: Sequence[str]) -> bool:
    """Whether the names are plain, and in ascending order, so that none stands twice."""
    plain = all(_PLAIN.fullmatch(name) for name in names)
    return plain and all(before < name for before, name in zip(names, names[1:]))
