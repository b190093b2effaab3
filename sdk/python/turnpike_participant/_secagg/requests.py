"""What a coordinator asks for in a secure round, checked for everything that would make it unsafe."""

from __future__ import annotations

import base64
import binascii
import math
import re
from typing import Any, Dict, List, Sequence, Tuple

from .._failure import Failure, invalid
from .._json_scanner import Fields
from .fixed_point import PARTICIPANTS_MAX, WEIGHT_MAX
from .transcript import PublicKeys, RoundName, Terms, are_ordered
from .x25519 import KEY_BYTES

#: Fewer hide nobody, at any step: of two, each knows the other's update from the sum.
PARTICIPANTS_MIN = 3

_SEALED_BYTES = 98
_PROOF_BYTES = 32
_INTEGER_MAX = 2**53 - 1
_RUN_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


def _wrong_type(path: str, what: str) -> Failure:
    return invalid("wrong_type", f"{path} must be {what}", path)


def _given(fields: Fields, name: str) -> Any:
    value = fields.get(name)
    if value is None:
        raise invalid("missing_field", f"{name} is missing", name)
    return value


def read_round_name(fields: Fields) -> RoundName:
    run_id = _given(fields, "run_id")
    if not isinstance(run_id, str) or not _RUN_ID.fullmatch(run_id):
        raise _wrong_type("run_id", "a plain name of at most 128 characters")
    return RoundName(run_id, _read_count(fields, "round", 0), _read_count(fields, "attempt", 0))


def read_terms(fields: Fields) -> Tuple[Terms, str]:
    name = read_round_name(fields)
    participants = read_names(fields, "participants")
    own = _given(fields, "participant")
    if not isinstance(own, str) or own not in participants:
        raise _wrong_type("participant", "one of participants")
    threshold = _read_count(fields, "threshold", 1)
    clip = _given(fields, "clip")
    if isinstance(clip, bool) or not isinstance(clip, (int, float)) or not math.isfinite(clip) or clip <= 0:
        raise _wrong_type("clip", "a number above zero")
    max_weight = _read_count(fields, "max_weight", 1)
    if max_weight > WEIGHT_MAX:
        raise _wrong_type("max_weight", f"at most {WEIGHT_MAX}")
    if len(participants) > PARTICIPANTS_MAX:
        raise invalid("too_many", f"more than {PARTICIPANTS_MAX} participants cannot be summed", "participants")
    if len(participants) < PARTICIPANTS_MIN:
        raise invalid("too_few", f"fewer than {PARTICIPANTS_MIN} participants hide nobody", "participants")
    least = max(PARTICIPANTS_MIN, len(participants) // 2 + 1)
    if threshold < least or threshold > len(participants):
        raise invalid("weak_threshold", f"threshold must be from {least} to {len(participants)}", "threshold")
    return Terms(name, tuple(participants), threshold, float(clip), max_weight), own


def read_keys(fields: Fields) -> List[PublicKeys]:
    entries = _read_entries(fields, "keys")
    _check_order("keys", [entry["participant"] for entry in entries])
    return [
        PublicKeys(
            entry["participant"],
            _read_bytes(entry.get("cipher_key"), KEY_BYTES, f"keys[{at}].cipher_key"),
            _read_bytes(entry.get("mask_key"), KEY_BYTES, f"keys[{at}].mask_key"),
            None if entry.get("proof") is None else _read_bytes(entry["proof"], _PROOF_BYTES, f"keys[{at}].proof"),
        )
        for at, entry in enumerate(entries)
    ]


def read_shares(fields: Fields) -> Dict[str, bytes]:
    """What was sealed for this participant, by sender."""
    entries = _read_entries(fields, "shares")
    _check_order("shares", [entry["participant"] for entry in entries])
    return {
        entry["participant"]: _read_bytes(entry.get("share"), _SEALED_BYTES, f"shares[{at}].share")
        for at, entry in enumerate(entries)
    }


def read_limit(fields: Fields) -> int:
    """The most that this participant may count for, where it is told so."""
    return WEIGHT_MAX if fields.get("max_examples") is None else _read_count(fields, "max_examples", 0)


def read_names(fields: Fields, path: str) -> List[str]:
    names = _given(fields, path)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _wrong_type(path, "an array of names")
    _check_order(path, names)
    return names


def _check_order(path: str, names: Sequence[str]) -> None:
    if not are_ordered(names):
        raise _wrong_type(path, "of plain names in ascending order, each once")


def _read_entries(fields: Fields, path: str) -> List[Dict[str, Any]]:
    entries = _given(fields, path)
    if not isinstance(entries, list):
        raise _wrong_type(path, "an array")
    for at, entry in enumerate(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("participant"), str):
            raise _wrong_type(f"{path}[{at}].participant", "a name")
    return entries


def _read_count(fields: Fields, path: str, least: int) -> int:
    value = _given(fields, path)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= _INTEGER_MAX:
        return value
    raise _wrong_type(path, f"an integer of at least {least}")


def _read_bytes(value: Any, length: int, path: str) -> bytes:
    """So many bytes as base64, written in the one way there is."""
    try:
        data = base64.b64decode(value) if isinstance(value, str) else b""
    except (binascii.Error, ValueError):
        data = b""
    if len(data) == length and base64.b64encode(data).decode() == value:
        return data
    raise _wrong_type(path, f"base64 of {length} bytes")
