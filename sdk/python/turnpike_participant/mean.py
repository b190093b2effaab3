"""The weighted mean of models, the same bytes on every machine."""

from __future__ import annotations

import math
import struct
from array import array
from typing import Any, List, Optional, Sequence

from .tensors import DTYPE_BYTES, FormatError, NamedTensors, Tensor, Tensors, read_tensors, sniff_format, write_tensors

_FLOATS = ("F16", "BF16", "F32", "F64")
_CODES = {"F16": "e", "F32": "f", "F64": "d"}


def weighted_mean(
    models: Sequence[bytes], weights: Optional[Sequence[float]] = None, shape: Optional[Sequence[int]] = None
) -> bytes:
    """Summed in float64 in the order of the list and rounded once. Integers of the first model stand as they are.

    With a shape the models are bare floats.
    """
    if not models:
        raise FormatError("shape_mismatch", "there is no model to take the mean of")
    factors = [float(weight) for weight in weights] if weights is not None else [1.0] * len(models)
    total = 0.0
    for factor in factors:
        total += factor
    if len(factors) != len(models) or not all(factor >= 0 for factor in factors) or not total > 0:
        raise ValueError("weights are as many numbers as there are models, none negative, not all zero")
    read = [read_tensors(model, shape) for model in models]
    base = read[0]
    for at, tensors in enumerate(read):
        _check_alike(base, tensors, at)
    mean = NamedTensors({}, getattr(base, "metadata", None))
    for name, tensor in base.items():
        same = [tensors[name] for tensors in read]
        mean[name] = _mean_of(name, same, factors, total) if tensor.dtype in _FLOATS else tensor
    return write_tensors(mean, "f32le" if shape else sniff_format(models[0]))


def _check_alike(base: Tensors, tensors: Tensors, at: int) -> None:
    def wrong(why: str) -> FormatError:
        return FormatError("shape_mismatch", f"model {at} differs from the first: {why}")

    if len(tensors) != len(base):
        raise wrong(f"it has {len(tensors)} tensors, not {len(base)}")
    for name, tensor in base.items():
        own = tensors.get(name)
        if own is None:
            raise wrong(f"it has no tensor {name}")
        if own.dtype != tensor.dtype:
            raise wrong(f"{name} is {own.dtype}, not {tensor.dtype}")
        if own.shape != tensor.shape:
            raise wrong(f"{name} is [{_sizes(own)}], not [{_sizes(tensor)}]")


def _sizes(tensor: Tensor) -> str:
    return ",".join(str(size) for size in tensor.shape)


def _mean_of(name: str, tensors: List[Tensor], weights: Sequence[float], total: float) -> Tensor:
    first = tensors[0]
    numpy = numpy_if_there() if first.dtype in _CODES else None
    data = (
        _mean_of_lists(name, tensors, weights, total)
        if numpy is None
        else _mean_of_arrays(numpy, name, tensors, weights, total)
    )
    return Tensor(first.dtype, first.shape, data)


def numpy_if_there() -> Any:
    """Faster where it is installed; the bytes are the same."""
    try:
        import numpy

        return numpy
    except ImportError:
        return None


def _not_finite(name: str, model: int) -> FormatError:
    return FormatError("not_finite", f"model {model} has NaN or infinity in {name}")


def _mean_of_arrays(numpy: Any, name: str, tensors: List[Tensor], weights: Sequence[float], total: float) -> bytes:
    code = f"<f{DTYPE_BYTES[tensors[0].dtype]}"
    sums: Any = 0.0
    for model, tensor in enumerate(tensors):
        values = numpy.frombuffer(tensor.data, dtype=code).astype("<f8")
        if not numpy.isfinite(values).all():
            raise _not_finite(name, model)
        sums = sums + weights[model] * values
    result: bytes = (sums / total).astype(code).tobytes()
    return result


def _mean_of_lists(name: str, tensors: List[Tensor], weights: Sequence[float], total: float) -> bytes:
    dtype = tensors[0].dtype
    sums = array("d", bytes(8 * (len(tensors[0].data) // DTYPE_BYTES[dtype])))
    for model, tensor in enumerate(tensors):
        values = _values_of(tensor)
        if not all(math.isfinite(value) for value in values):
            raise _not_finite(name, model)
        weight = weights[model]
        sums = array("d", [total_so_far + weight * value for total_so_far, value in zip(sums, values)])
    mean = [value / total for value in sums]
    if dtype == "BF16":
        return struct.pack(f"<{len(mean)}H", *(_to_bfloat(value) for value in mean))
    return struct.pack(f"<{len(mean)}{_CODES[dtype]}", *mean)


def _values_of(tensor: Tensor) -> Sequence[float]:
    count = len(tensor.data) // DTYPE_BYTES[tensor.dtype]
    if tensor.dtype == "BF16":
        bits = struct.unpack(f"<{count}H", tensor.data)
        return [struct.unpack("<f", struct.pack("<I", value << 16))[0] for value in bits]
    return struct.unpack(f"<{count}{_CODES[tensor.dtype]}", tensor.data)


def _to_bfloat(value: float) -> int:
    """Rounds once, to the nearest, ties to even."""
    sign = 0x8000 if math.copysign(1.0, value) < 0 else 0
    size = abs(value)
    if size == 0:
        return sign
    exponent = max(-126, math.frexp(size)[1] - 1)
    bits = round(math.ldexp(size, 7 - exponent)) + ((exponent + 126) << 7)
    return sign | min(bits, 0x7F80)
