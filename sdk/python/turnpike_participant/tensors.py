"""Parameters as named tensors: safetensors is written, npy and npz are read too. Pickles are never opened."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple

from ._arrays import as_tensor
from ._arrays.tensor import (
    DTYPE_BYTES,
    NPY_DTYPES,
    Data,
    FormatError,
    NamedTensors,
    Tensor,
    Tensors,
    elements_of,
    unsupported,
)

__all__ = [
    "DTYPE_BYTES",
    "Data",
    "FormatError",
    "NamedTensors",
    "Tensor",
    "Tensors",
    "elements_of",
    "float32",
    "read_npy",
    "read_raw",
    "read_safetensors",
    "read_tensors",
    "sniff_format",
    "write_npy",
    "write_safetensors",
    "write_tensors",
]

_MAGIC = b"\x93NUMPY"
_HEADER_BYTES_MAX = 100_000_000
_DIMENSIONS_MAX = 32
_INTEGER_MAX = 2**53 - 1
_UNPACKED_BYTES_MAX = 4 * 1024**3
#: What an npy array is called among tensors that have names.
_NAMELESS = "array"


def float32(values: Sequence[float], shape: Sequence[int] = ()) -> Tensor:
    """A tensor of 32-bit floats."""
    return Tensor("F32", tuple(shape) or (len(values),), struct.pack(f"<{len(values)}f", *values))


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
    raise unsupported("the parameters are neither safetensors nor npy nor npz")


def read_raw(data: Data, shape: Sequence[int]) -> Tensor:
    """Bare little-endian floats of 32 bits, in row order; what they are has to be known."""
    wanted = elements_of(shape) * 4
    if len(data) != wanted:
        sizes = ",".join(str(size) for size in shape)
        raise unsupported(f"bare floats of [{sizes}] are {wanted} bytes, not {len(data)}")
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


def read_safetensors(data: Data) -> NamedTensors:
    """Reads the tensors without copying them, in the order of their bytes, with the metadata of the file."""
    if not _looks_like_safetensors(data):
        raise unsupported("this is not safetensors")
    view = memoryview(data)
    length = struct.unpack_from("<Q", view)[0]
    body = view[8 + length :]
    entries, metadata = _read_header(bytes(view[8 : 8 + length]))
    tensors = NamedTensors({}, metadata)
    at = 0
    for name, entry in sorted(entries, key=lambda item: item[1]["data_offsets"]):
        start, end = entry["data_offsets"]
        if start != at:
            raise unsupported(f"the tensor {name} leaves a hole or overlaps another")
        at = end
        if end - start != elements_of(entry["shape"]) * DTYPE_BYTES[entry["dtype"]]:
            raise unsupported(f"the tensor {name} has not the length that its shape says")
        tensors[name] = Tensor(entry["dtype"], tuple(entry["shape"]), body[start:end])
    if at != len(body):
        raise unsupported("bytes are left behind the last tensor, or missing")
    return tensors


def write_safetensors(tensors: Mapping[str, Any], metadata: Optional[Mapping[str, str]] = None) -> bytes:
    """Equal tensors always give equal bytes: compact header, in the order given, padded to eight.

    Tensors may be of this package, numpy or torch. Without `metadata` those that were read keep theirs.
    """
    own = {name: as_tensor(item) for name, item in tensors.items()}
    texts = getattr(tensors, "metadata", None) if metadata is None else dict(metadata)
    header: Dict[str, Any] = {"__metadata__": texts} if texts else {}
    at = 0
    for name, tensor in own.items():
        size = len(tensor.data)
        if elements_of(tensor.shape) * DTYPE_BYTES[tensor.dtype] != size:
            raise unsupported(f"the tensor {name} has not the length that its shape says")
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        at += size
    head = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    padded = -(-len(head) // 8) * 8
    return b"".join([struct.pack("<Q", padded), head.ljust(padded), *(tensor.data for tensor in own.values())])


def _read_header(text: bytes) -> Tuple[List[Tuple[str, Dict[str, Any]]], Dict[str, str]]:
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=_pairs, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise unsupported("the header of the safetensors is not UTF-8") from None
    except (ValueError, RecursionError):
        raise unsupported("the header of the safetensors is not JSON") from None
    if not isinstance(header, _Pairs):
        raise unsupported("the header of the safetensors is not an object")
    entries: List[Tuple[str, Dict[str, Any]]] = []
    metadata: Dict[str, str] = {}
    names = set()
    for name, entry in header.items:
        if name in names:
            raise unsupported(f"the tensor {name} stands twice in the header")
        names.add(name)
        if name == "__metadata__":
            metadata = _texts_in(entry)
            continue
        fields = dict(entry.items) if isinstance(entry, _Pairs) else {}
        if not _is_entry(fields):
            raise unsupported(f"the header says nothing usable of the tensor {name}")
        entries.append((name, fields))
    return entries, metadata


def _texts_in(entry: Any) -> Dict[str, str]:
    """The metadata; empty where they are not texts by name, as the format says."""
    texts = dict(entry.items) if isinstance(entry, _Pairs) else {}
    return texts if all(isinstance(text, str) for text in texts.values()) else {}


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
        raise unsupported("this is not npy")
    is_long = data[6] >= 2
    start = 12 if is_long else 10
    if len(data) < start:
        raise unsupported("the npy is cut short")
    length = struct.unpack_from("<I" if is_long else "<H", data, 8)[0]
    if start + length > len(data):
        raise unsupported("the npy is cut short")
    dtype, shape = _read_npy_header(bytes(data[start : start + length]).decode("latin-1"))
    body = memoryview(data)[start + length :]
    if len(body) != elements_of(shape) * DTYPE_BYTES[dtype]:
        raise unsupported("the npy has not the length it says")
    return Tensor(dtype, shape, body)


def _read_npy_header(header: str) -> Tuple[str, Tuple[int, ...]]:
    descr = re.search(r"'descr':\s*'([^']*)'", header)
    order = re.search(r"'fortran_order':\s*(True|False)", header)
    shape = re.search(r"'shape':\s*\(([^)]*)\)", header)
    if order is None or shape is None:
        raise unsupported("the header of the npy cannot be read")
    sizes = [size.strip() for size in shape.group(1).split(",") if size.strip()]
    if not all(re.fullmatch(r"[0-9]{1,15}", size) for size in sizes):
        raise unsupported("the shape of the npy cannot be read")
    numbers = tuple(int(size) for size in sizes)
    if order.group(1) == "True" and len(numbers) > 1:
        raise unsupported("the npy is in column order; row order is wanted")
    kind = descr.group(1) if descr else ""
    dtype = NPY_DTYPES.get(kind)
    if dtype is None:
        raise unsupported(f"the npy holds {kind or 'something'}, which is not read here")
    if elements_of(numbers) > _INTEGER_MAX:
        raise unsupported("the shape of the npy is too large")
    return dtype, numbers


def write_npy(tensor: Tensor) -> bytes:
    descr = next((name for name, dtype in NPY_DTYPES.items() if dtype == tensor.dtype), None)
    if descr is None:
        raise unsupported(f"npy has no {tensor.dtype}")
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
                raise unsupported(
                    "this is a pickle, which runs code when it is opened; "
                    "save with safetensors.torch.save(state_dict) instead"
                )
            # Members may lie over each other, so that a small archive becomes a large one without any being large.
            if sum(member.file_size for member in members) > _UNPACKED_BYTES_MAX:
                raise unsupported("the archive is broken or too large")
            for member in members:
                name = member.filename[: -len(".npy")]
                if not member.filename.endswith(".npy"):
                    raise unsupported("the archive holds something else than npy arrays")
                if name in tensors:
                    raise unsupported(f"the array {name} stands twice in the archive")
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise unsupported(f"the array {name} is packed in a way that is not read here")
                tensors[name] = read_npy(archive.read(member))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        raise unsupported("the archive is broken") from None
    return tensors
