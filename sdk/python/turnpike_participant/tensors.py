"""Parameters as named tensors: safetensors is written, npy and npz are read too. Pickles are never opened."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

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
_NPY_DTYPES = {
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
_MAGIC = b"\x93NUMPY"
_HEADER_BYTES_MAX = 100_000_000
_DIMENSIONS_MAX = 32
_INTEGER_MAX = 2**53 - 1
_UNPACKED_BYTES_MAX = 4 * 1024**3
#: What an npy array is called among tensors that have names.
_NAMELESS = "array"


class FormatError(Exception):
    """Bytes that are not what they should be; `reason` is what a participant answers with."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def _unsupported(message: str) -> FormatError:
    return FormatError("unsupported_format", message)


@dataclass(frozen=True)
class Tensor:
    """One tensor: its bytes are little-endian and in row order."""

    dtype: str
    shape: Tuple[int, ...]
    data: Data


Tensors = Mapping[str, Tensor]


def elements_of(shape: Sequence[int]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product


def float32(values: Sequence[float], shape: Sequence[int] = ()) -> Tensor:
    """A tensor of 32-bit floats."""
    return Tensor("F32", tuple(shape) or (len(values),), struct.pack(f"<{len(values)}f", *values))


def is_tensors(value: Any) -> bool:
    """Tensors by name: our own, or whatever numpy calls an array."""
    if not isinstance(value, Mapping) or not value:
        return False
    return all(isinstance(item, Tensor) or hasattr(item, "__array_interface__") for item in value.values())


def to_numpy(tensor: Tensor) -> Any:
    """The tensor as an array of numpy, which has to be installed for this."""
    import numpy

    name = next(descr for descr, dtype in _NPY_DTYPES.items() if dtype == tensor.dtype)
    return numpy.frombuffer(tensor.data, dtype=name).reshape(tensor.shape)


def from_numpy(array: Any) -> Tensor:
    """An array of numpy as a tensor."""
    descr = array.dtype.newbyteorder("<").str if array.dtype.itemsize > 1 else array.dtype.str
    dtype = _NPY_DTYPES.get(descr)
    if dtype is None:
        raise _unsupported(f"an array of {array.dtype} cannot be written as safetensors")
    return Tensor(dtype, tuple(array.shape), array.astype(descr, copy=False).tobytes())


def _looks_like_safetensors(data: Data) -> bool:
    if len(data) < 10 or data[8] != 0x7B:
        return False
    length: int = struct.unpack_from("<Q", data)[0]
    return 2 <= length <= _HEADER_BYTES_MAX and 8 + length <= len(data)


def sniff_format(data: Data) -> str:
    """Which of the known formats the bytes are in."""
    if len(data) >= 10 and bytes(data[:6]) == _MAGIC:
        return "npy"
    if len(data) >= 22 and bytes(data[:2]) == b"PK" and data[2] in (3, 5):
        return "npz"
    if _looks_like_safetensors(data):
        return "safetensors"
    raise _unsupported("the parameters are neither safetensors nor npy nor npz")


def read_raw(data: Data, shape: Sequence[int]) -> Tensor:
    """Bare little-endian floats of 32 bits, in row order; what they are has to be known."""
    wanted = elements_of(shape) * 4
    if len(data) != wanted:
        sizes = ",".join(str(size) for size in shape)
        raise _unsupported(f"bare floats of [{sizes}] are {wanted} bytes, not {len(data)}")
    return Tensor("F32", tuple(shape), data)


def read_tensors(data: Data, shape: Optional[Sequence[int]] = None) -> Dict[str, Tensor]:
    """With a shape the bytes are taken for bare 32-bit floats (`f32le`); without one their format is found out."""
    if shape:
        return {_NAMELESS: read_raw(data, shape)}
    kind = sniff_format(data)
    if kind == "npy":
        return {_NAMELESS: read_npy(data)}
    return _read_npz(data) if kind == "npz" else read_safetensors(data)


def write_tensors(tensors: Tensors, kind: str) -> bytes:
    """Writes npy as npy and bare floats as bare floats again; everything else as safetensors."""
    if kind == "f32le":
        return bytes(tensors[_NAMELESS].data)
    return write_npy(tensors[_NAMELESS]) if kind == "npy" else write_safetensors(tensors)


def read_safetensors(data: Data) -> Dict[str, Tensor]:
    """Reads the tensors without copying them; they are in the order of their bytes."""
    if not _looks_like_safetensors(data):
        raise _unsupported("this is not safetensors")
    view = memoryview(data)
    length = struct.unpack_from("<Q", view)[0]
    body = view[8 + length :]
    tensors: Dict[str, Tensor] = {}
    at = 0
    for name, entry in sorted(_read_header(bytes(view[8 : 8 + length])), key=lambda item: item[1]["data_offsets"]):
        start, end = entry["data_offsets"]
        if start != at:
            raise _unsupported(f"the tensor {name} leaves a hole or overlaps another")
        at = end
        if end - start != elements_of(entry["shape"]) * DTYPE_BYTES[entry["dtype"]]:
            raise _unsupported(f"the tensor {name} has not the length that its shape says")
        tensors[name] = Tensor(entry["dtype"], tuple(entry["shape"]), body[start:end])
    if at != len(body):
        raise _unsupported("bytes are left behind the last tensor, or missing")
    return tensors


def write_safetensors(tensors: Mapping[str, Any]) -> bytes:
    """The same tensors always give the same bytes: compact header, in the order given, padded to eight."""
    own = {name: item if isinstance(item, Tensor) else from_numpy(item) for name, item in tensors.items()}
    header: Dict[str, Any] = {}
    at = 0
    for name, tensor in own.items():
        size = len(tensor.data)
        if elements_of(tensor.shape) * DTYPE_BYTES[tensor.dtype] != size:
            raise _unsupported(f"the tensor {name} has not the length that its shape says")
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        at += size
    head = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    padded = -(-len(head) // 8) * 8
    return b"".join([struct.pack("<Q", padded), head.ljust(padded), *(tensor.data for tensor in own.values())])


def _read_header(text: bytes) -> List[Tuple[str, Dict[str, Any]]]:
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=_pairs, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise _unsupported("the header of the safetensors is not UTF-8") from None
    except (ValueError, RecursionError):
        raise _unsupported("the header of the safetensors is not JSON") from None
    if not isinstance(header, _Pairs):
        raise _unsupported("the header of the safetensors is not an object")
    entries: List[Tuple[str, Dict[str, Any]]] = []
    names = set()
    for name, entry in header.items:
        if name in names:
            raise _unsupported(f"the tensor {name} stands twice in the header")
        names.add(name)
        if name == "__metadata__":
            continue
        fields = dict(entry.items) if isinstance(entry, _Pairs) else {}
        if not _is_entry(fields):
            raise _unsupported(f"the header says nothing usable of the tensor {name}")
        entries.append((name, fields))
    return entries


class _Pairs:
    def __init__(self, items: List[Tuple[str, Any]]) -> None:
        self.items = items


def _pairs(items: List[Tuple[str, Any]]) -> _Pairs:
    return _Pairs(items)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _is_entry(fields: Mapping[str, Any]) -> bool:
    shape, offsets = fields.get("shape"), fields.get("data_offsets")
    if not isinstance(fields.get("dtype"), str) or fields["dtype"] not in DTYPE_BYTES:
        return False
    if not _is_counts(shape) or len(shape or ()) > _DIMENSIONS_MAX or elements_of(shape or ()) > _INTEGER_MAX:
        return False
    return _is_counts(offsets) and len(offsets or ()) == 2 and offsets[0] <= offsets[1]  # type: ignore[index]


def _is_counts(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int and 0 <= item <= _INTEGER_MAX for item in value)


def read_npy(data: Data) -> Tensor:
    """Reads one array in row order; arrays of objects hold code and are never opened."""
    if len(data) < 10 or bytes(data[:6]) != _MAGIC:
        raise _unsupported("this is not npy")
    is_long = data[6] >= 2
    start = 12 if is_long else 10
    if len(data) < start:
        raise _unsupported("the npy is cut short")
    length = struct.unpack_from("<I" if is_long else "<H", data, 8)[0]
    if start + length > len(data):
        raise _unsupported("the npy is cut short")
    dtype, shape = _read_npy_header(bytes(data[start : start + length]).decode("latin-1"))
    body = memoryview(data)[start + length :]
    if len(body) != elements_of(shape) * DTYPE_BYTES[dtype]:
        raise _unsupported("the npy has not the length it says")
    return Tensor(dtype, shape, body)


def _read_npy_header(header: str) -> Tuple[str, Tuple[int, ...]]:
    descr = re.search(r"'descr':\s*'([^']*)'", header)
    order = re.search(r"'fortran_order':\s*(True|False)", header)
    shape = re.search(r"'shape':\s*\(([^)]*)\)", header)
    if order is None or shape is None:
        raise _unsupported("the header of the npy cannot be read")
    sizes = [size.strip() for size in shape.group(1).split(",") if size.strip()]
    if not all(re.fullmatch(r"[0-9]{1,15}", size) for size in sizes):
        raise _unsupported("the shape of the npy cannot be read")
    numbers = tuple(int(size) for size in sizes)
    if order.group(1) == "True" and len(numbers) > 1:
        raise _unsupported("the npy is in column order; row order is wanted")
    kind = descr.group(1) if descr else ""
    dtype = _NPY_DTYPES.get(kind)
    if dtype is None:
        raise _unsupported(f"the npy holds {kind or 'something'}, which is not read here")
    if elements_of(numbers) > _INTEGER_MAX:
        raise _unsupported("the shape of the npy is too large")
    return dtype, numbers


def write_npy(tensor: Tensor) -> bytes:
    descr = next((name for name, dtype in _NPY_DTYPES.items() if dtype == tensor.dtype), None)
    if descr is None:
        raise _unsupported(f"npy has no {tensor.dtype}")
    sizes = [str(size) for size in tensor.shape]
    shape = f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    length = -(-(10 + len(text) + 1) // 64) * 64
    head = _MAGIC + b"\x01\x00" + struct.pack("<H", length - 10) + text.ljust(length - 11).encode() + b"\n"
    return head + bytes(tensor.data)


def _read_npz(data: Data) -> Dict[str, Tensor]:
    tensors: Dict[str, Tensor] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if any(member.filename.endswith(".pkl") for member in members):
                raise _unsupported(
                    "this is a pickle, which runs code when it is opened; "
                    "save with safetensors.torch.save(state_dict) instead"
                )
            # Members may lie over each other, so that a small archive becomes a large one without any being large.
            if sum(member.file_size for member in members) > _UNPACKED_BYTES_MAX:
                raise _unsupported("the archive is broken or too large")
            for member in members:
                name = member.filename[: -len(".npy")]
                if not member.filename.endswith(".npy"):
                    raise _unsupported("the archive holds something else than npy arrays")
                if name in tensors:
                    raise _unsupported(f"the array {name} stands twice in the archive")
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise _unsupported(f"the array {name} is packed in a way that is not read here")
                tensors[name] = read_npy(archive.read(member))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        raise _unsupported("the archive is broken") from None
    return tensors
