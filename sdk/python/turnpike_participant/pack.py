"""Packs what training changed, so that less is sent: floats of 16 bits, integers of 8 bits, or the largest part of it.

Byte for byte as the TypeScript SDK does it, with numpy and without.
"""

from __future__ import annotations

import math
import struct
from array import array
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .mean import numpy_if_there
from .tensors import DTYPE_BYTES, Data, FormatError, Tensor, Tensors, read_tensors, write_safetensors

#: How many numbers share one scale.
_CHUNK = 1024
_HALF_MAX = 65504.0
_FLOATS = {"F32": "f", "F16": "e", "BF16": ""}


@dataclass(frozen=True)
class PackedUpdate:
    """`parameters` is the packed change as safetensors; `left` what was left out, to be handed in with the next one."""

    parameters: bytes
    left: Optional[Any]


def read_pack_form(value: Any) -> Optional[Tuple[str, float]]:
    """What a coordinator wishes in `config["pack"]`; None where it wishes nothing that is known here."""
    if not isinstance(value, Mapping):
        return None
    form, share = value.get("form"), value.get("share")
    if form in ("f16", "int8"):
        return str(form), 1.0
    if form != "top_k" or isinstance(share, bool) or not isinstance(share, (int, float)):
        return None
    return ("top_k", float(share)) if 0 < share <= 1 else None


def pack_update(before: Data, after: Data, wish: Any, left: Optional[Any] = None) -> Optional[PackedUpdate]:
    """None where the change cannot be packed: other formats, other tensors, numbers that are not finite."""
    form = read_pack_form(wish)
    change = None if form is None else _change_between(_read(before), _read(after))
    if form is None or change is None:
        return None
    if form[0] == "top_k" and left is not None and len(left) == len(change):
        change = _rounded([own + rest for own, rest in zip(change, left)])
    if not all(map(math.isfinite, change)):
        return None
    if form[0] == "f16":
        halves = struct.pack(f"<{len(change)}e", *(max(-_HALF_MAX, min(_HALF_MAX, value)) for value in change))
        return PackedUpdate(write_safetensors({"delta.f16": Tensor("F16", (len(change),), halves)}), None)
    if form[0] == "int8":
        return PackedUpdate(write_safetensors(_pack_int8(change)), None)
    return _pack_largest(change, form[1])


def _read(data: Data) -> Optional[Tensors]:
    try:
        return read_tensors(data)
    except FormatError:
        return None


def _change_between(before: Optional[Tensors], after: Optional[Tensors]) -> Optional[Sequence[float]]:
    if before is None or after is None or len(before) != len(after):
        return None
    change = array("f")
    for name, tensor in before.items():
        own = after.get(name)
        if own is None or own.dtype != tensor.dtype or tuple(own.shape) != tuple(tensor.shape) or own.dtype == "F64":
            return None
        if own.dtype in _FLOATS:
            change.extend(_difference(own, tensor))
        elif bytes(own.data) != bytes(tensor.data):
            return None
    return change if change else None


def _difference(to: Tensor, start: Tensor) -> array[float]:
    numpy = numpy_if_there()
    if numpy is not None and to.dtype == "F32":
        with numpy.errstate(over="ignore", invalid="ignore"):
            return array("f", (numpy.frombuffer(to.data, "<f4") - numpy.frombuffer(start.data, "<f4")).tobytes())
    return _rounded([a - b for a, b in zip(_floats_of(to), _floats_of(start))])


def _floats_of(tensor: Tensor) -> Sequence[float]:
    count = len(tensor.data) // DTYPE_BYTES[tensor.dtype]
    if tensor.dtype == "BF16":
        halves = struct.unpack(f"<{count}H", tensor.data)
        return struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *(bits << 16 for bits in halves)))
    return struct.unpack(f"<{count}{_FLOATS[tensor.dtype]}", tensor.data)


def _rounded(values: Sequence[float]) -> array[float]:
    """As 32-bit floats; what is too large for them becomes infinite."""
    return array("f", values)


def _pack_int8(change: Sequence[float]) -> Dict[str, Tensor]:
    scales = array("f")
    steps: List[int] = []
    for start in range(0, len(change), _CHUNK):
        part = change[start : start + _CHUNK]
        scales.append(max(map(abs, part)) / 127)
        scale = scales[-1]
        steps += [0 if scale == 0 else max(-127, min(127, math.floor(value / scale + 0.5))) for value in part]
    return {
        "delta.int8": Tensor("I8", (len(steps),), struct.pack(f"<{len(steps)}b", *steps)),
        "delta.scales": Tensor("F32", (len(scales),), struct.pack(f"<{len(scales)}f", *scales)),
    }


def _pack_largest(change: Sequence[float], share: float) -> PackedUpdate:
    """Of two that are equally large the first one is taken."""
    keep = max(1, math.ceil(len(change) * share))
    places = sorted(sorted(range(len(change)), key=lambda place: (-abs(change[place]), place))[:keep])
    left = array("f", change)
    values = [change[place] for place in places]
    for place in places:
        left[place] = 0.0
    tensors = {
        "delta.places": Tensor("U32", (keep,), struct.pack(f"<{keep}I", *places)),
        "delta.values": Tensor("F32", (keep,), struct.pack(f"<{keep}f", *values)),
    }
    return PackedUpdate(write_safetensors(tensors), left)


class Packing:
    """Packs updates for coordinators that wish it, and remembers what was left out of the last one, for one run."""

    def __init__(self) -> None:
        #: The run, the round, and what was left out before it and with it.
        self._last: Optional[Tuple[str, Optional[int], Any, Any]] = None

    def pack(self, run_id: Optional[str], round: Optional[int], wish: Any, before: Optional[Data], after: Data) -> Data:
        """The packed update, or the one that was given where it cannot be packed."""
        if before is None:
            return after
        left = self._left_before(run_id, round)
        packed = pack_update(before, after, wish, left)
        if packed is None:
            return after
        self._last = None if run_id is None or packed.left is None else (run_id, round, left, packed.left)
        return packed.parameters

    def _left_before(self, run_id: Optional[str], round: Optional[int]) -> Any:
        """An update that is asked for again is packed as it was the first time; an earlier one is of a run that began anew."""
        if self._last is None or self._last[0] != run_id:
            return None
        _, last_round, before, left = self._last
        if round is None or last_round is None or round > last_round:
            return left
        return before if round == last_round else None
