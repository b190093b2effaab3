"""One tensor with its kind of numbers, and the error of bytes that hold none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Mapping, Optional, Sequence, Tuple, Union

Data = Union[bytes, memoryview]

DTYPE_BYTES: Dict[str, int] = {
    "BOOL": 1,
    "U8": 1,
    "I8": 1,
    "U16": 2,
    "I16": 2,
    "F16": 2,
    "BF16": 2,
    "U32": 4,
    "I32": 4,
    "F32": 4,
    "U64": 8,
    "I64": 8,
    "F64": 8,
}
NPY_DTYPES = {
    "|b1": "BOOL",
    "|u1": "U8",
    "|i1": "I8",
    "<u2": "U16",
    "<i2": "I16",
    "<f2": "F16",
    "<u4": "U32",
    "<i4": "I32",
    "<f4": "F32",
    "<u8": "U64",
    "<i8": "I64",
    "<f8": "F64",
}


class FormatError(Exception):
    """Bytes that are not what they should be; `reason` is what a participant answers with."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def unsupported(message: str) -> FormatError:
    return FormatError("unsupported_format", message)


@dataclass(frozen=True)
class Tensor:
    """One tensor: its bytes are little-endian and in row order."""

    dtype: str
    shape: Tuple[int, ...]
    data: Data


Tensors = Mapping[str, Tensor]


class NamedTensors(Dict[str, Tensor]):
    """Tensors by name, with the `__metadata__` of the file that they were read from."""

    def __init__(self, tensors: Tensors, metadata: Optional[Mapping[str, str]] = None) -> None:
        super().__init__(tensors)
        self.metadata: Dict[str, str] = dict(metadata or {})


def elements_of(shape: Sequence[int]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product
