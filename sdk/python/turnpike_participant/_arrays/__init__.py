"""Tensors to and from the arrays of numpy and the tensors of torch. Neither package has to be installed."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Mapping, Union

from .tensor import NPY_DTYPES, Data, Tensor, elements_of, unsupported

#: The names of kinds of numbers in torch.
_TORCH_DTYPES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "F16": "float16",
    "BF16": "bfloat16",
    "U32": "uint32",
    "I32": "int32",
    "F32": "float32",
    "U64": "uint64",
    "I64": "int64",
    "F64": "float64",
}


def is_tensors(value: Any) -> bool:
    """Whether a value has tensors by name: of this package, of numpy or of torch."""
    if not isinstance(value, Mapping) or not value:
        return False
    return all(isinstance(name, str) and _is_tensor(item) for name, item in value.items())


def as_tensor(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    return from_torch(value) if _is_torch(value) else from_numpy(value)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "__array_interface__") or _is_torch(value)


def _is_torch(value: Any) -> bool:
    # The type is enough: importing torch takes seconds, and its tensors exist only where it was imported.
    return any(kind.__module__.split(".")[0] == "torch" and kind.__name__ == "Tensor" for kind in type(value).__mro__)


def to_numpy(tensor: Tensor) -> Any:
    """The tensor as an array of numpy. numpy has no BF16: such a tensor becomes 32-bit floats of the same values."""
    import numpy

    if tensor.dtype == "BF16":
        halves = numpy.frombuffer(tensor.data, dtype="<u2").astype("<u4")
        return (halves << 16).view("<f4").reshape(tensor.shape)
    name = next(descr for descr, dtype in NPY_DTYPES.items() if dtype == tensor.dtype)
    return numpy.frombuffer(tensor.data, dtype=name).reshape(tensor.shape)


def from_numpy(array: Any) -> Tensor:
    """An array of numpy as a tensor."""
    if array.dtype.name == "bfloat16":
        return Tensor("BF16", tuple(array.shape), array.tobytes())
    descr = array.dtype.newbyteorder("<").str if array.dtype.itemsize > 1 else array.dtype.str
    dtype = NPY_DTYPES.get(descr)
    if dtype is None:
        raise unsupported(f"an array of {array.dtype} cannot be written as safetensors")
    return Tensor(dtype, tuple(array.shape), array.astype(descr, copy=False).tobytes())


def to_torch(parameters: Union[Tensor, Mapping[str, Tensor]]) -> Any:
    """The tensor as a tensor of torch; named tensors as a dict of them, ready for `load_state_dict`."""
    if isinstance(parameters, Mapping):
        return {name: _to_torch(tensor) for name, tensor in parameters.items()}
    return _to_torch(parameters)


def _to_torch(tensor: Tensor) -> Any:
    import torch

    dtype = getattr(torch, _TORCH_DTYPES[tensor.dtype], None)
    if dtype is None:
        raise unsupported(f"this version of torch has no {_TORCH_DTYPES[tensor.dtype]}")
    if elements_of(tensor.shape) == 0:
        return torch.empty(tensor.shape, dtype=dtype)
    # The copy is writable memory of the new tensor alone.
    return torch.frombuffer(bytearray(tensor.data), dtype=dtype).reshape(tensor.shape)


def from_torch(tensor: Any) -> Tensor:
    """A tensor of torch, on any device."""
    dtypes: Dict[str, str] = {f"torch.{name}": dtype for dtype, name in _TORCH_DTYPES.items()}
    dtype = dtypes.get(str(tensor.dtype))
    if dtype is None:
        raise unsupported(f"a tensor of {tensor.dtype} cannot be written as safetensors")
    own = tensor.detach().cpu().contiguous()
    # Without numpy, which torch does not need either, and which has no BF16.
    data: Data = ctypes.string_at(own.data_ptr(), own.numel() * own.element_size()) if own.numel() else b""
    return Tensor(dtype, tuple(own.shape), data)
