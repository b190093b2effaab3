"""What training changed, as one row of float64 in the order of the tensors. Integers are not summed."""

from __future__ import annotations

import math
import struct
from typing import Iterator, List, Sequence, Tuple, Union

from .._failure import Failure, invalid
from ..tensors import DTYPE_BYTES, FormatError, Tensor, Tensors, read_tensors

_PIECE = 16_384
_CODES = {"F16": "e", "F32": "f"}
Data = Union[bytes, memoryview]


def _wrong(why: str) -> Failure:
    return Failure(500, "invalid_result", f"the train function's model cannot be summed: {why}")


def change_of(base: bytes, trained: Data) -> Iterator[List[float]]:
    """Piece by piece: the change of a large model never exists as a whole."""
    before, after = read_tensors(base), _read_trained(trained)
    if len(after) != len(before):
        raise _wrong(f"it has {len(after)} tensors, not {len(before)}")
    parts = []
    for name, tensor in before.items():
        if tensor.dtype == "F64":
            raise invalid("unsupported_format", f"{name} is F64; floats of 32 bits or fewer are summed")
        own = after.get(name)
        if own is None:
            raise _wrong(f"it has no tensor {name}")
        if own.dtype != tensor.dtype:
            raise _wrong(f"{name} is {own.dtype}, not {tensor.dtype}")
        if tuple(own.shape) != tuple(tensor.shape):
            raise _wrong(f"{name} is [{_sizes(own)}], not [{_sizes(tensor)}]")
        if tensor.dtype in ("F32", "F16", "BF16") and len(tensor.data) > 0:
            parts.append((name, tensor, own))
    if not parts:
        raise invalid("unsupported_format", "the parameters have no floats that could be summed")
    return _pieces(parts)


def _pieces(parts: Sequence[Tuple[str, Tensor, Tensor]]) -> Iterator[List[float]]:
    for name, tensor, own in parts:
        count = len(tensor.data) // DTYPE_BYTES[tensor.dtype]
        for start in range(0, count, _PIECE):
            size = min(_PIECE, count - start)
            piece = [to - was for to, was in zip(_floats_of(own, start, size), _floats_of(tensor, start, size))]
            if not all(map(math.isfinite, piece)):
                raise _wrong(f"{name} holds a number that is not finite")
            yield piece


def _read_trained(data: Data) -> Tensors:
    try:
        return read_tensors(data)
    except FormatError as error:
        raise _wrong(error.message) from None


def _sizes(tensor: Tensor) -> str:
    return ",".join(str(size) for size in tensor.shape)


def _floats_of(tensor: Tensor, start: int, count: int) -> Sequence[float]:
    at = start * DTYPE_BYTES[tensor.dtype]
    if tensor.dtype == "BF16":
        halves = struct.unpack_from(f"<{count}H", tensor.data, at)
        return struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *(bits << 16 for bits in halves)))
    return struct.unpack_from(f"<{count}{_CODES[tensor.dtype]}", tensor.data, at)
