"""Secrets for one purpose each, from what two participants agreed on and the transcript of the round."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Optional

from .transcript import framed

_MAC_BYTES = 32


def _derive(agreed: bytes, purpose: str, transcript: bytes, *names: str) -> bytes:
    message = framed(purpose.encode()) + framed(transcript) + b"".join(framed(name.encode()) for name in names)
    return hmac.new(agreed, message, hashlib.sha256).digest()


def pair_seed(agreed: bytes, transcript: bytes) -> bytes:
    """The seed of the mask that two participants share."""
    return _derive(agreed, "mask", transcript)


def commitment_of(seed: bytes, transcript: bytes) -> bytes:
    """What a participant says of its own seed, so that a wrong share of it is found out."""
    return _derive(seed, "commitment", transcript)


def proof_of(group_secret: str, transcript_of_own: bytes) -> bytes:
    """Shows that somebody who knows the group's secret has made these keys for this very round."""
    return _derive(group_secret.encode(), "group", transcript_of_own)


@dataclass(frozen=True)
class Envelope:
    agreed: bytes
    transcript: bytes
    sender: str
    receiver: str


def seal(plain: bytes, envelope: Envelope) -> bytes:
    """Encrypts and then authenticates. The keys serve for one message: of this round, sender and receiver alone."""
    hidden = _apply_stream(plain, envelope)
    return hidden + _mac_of(hidden, envelope)


def unseal(sealed: bytes, envelope: Envelope) -> Optional[bytes]:
    """What was sealed; None when it was not sealed by that sender for that receiver in that round."""
    hidden, mac = sealed[:-_MAC_BYTES], sealed[-_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac_of(hidden, envelope)):
        return None
    return _apply_stream(hidden, envelope)


def _apply_stream(data: bytes, envelope: Envelope) -> bytes:
    key = _derive(envelope.agreed, "encrypt", envelope.transcript, envelope.sender, envelope.receiver)
    stream = hashlib.shake_256(key).digest(len(data))
    return bytes(byte ^ other for byte, other in zip(data, stream))


def _mac_of(hidden: bytes, envelope: Envelope) -> bytes:
    key = _derive(envelope.agreed, "authenticate", envelope.transcript, envelope.sender, envelope.receiver)
    return hmac.new(key, hidden, hashlib.sha256).digest()
