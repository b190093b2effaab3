"""Reads a body while it arrives, within the limits, and checks the digest that came with it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import re
import zlib
from typing import Callable, Iterator, Mapping, Optional

from ._failure import Failure, invalid, too_large
from ._json_scanner import Fields, JsonScanner
from ._multipart import MultipartScanner, boundary_of
from ._settings import Limits

Headers = Mapping[str, str]
_INFLATED_PIECE = 256 * 1024
_DIGEST = re.compile(r"(?:^|,)\s*sha-256=:([^:]*):")


def form_of(headers: Headers) -> str:
    """The binary types are what they say; everything else, and none, is read as JSON."""
    kind = (headers.get("content-type") or "").split(";")[0].strip().lower()
    return {"application/octet-stream": "binary", "multipart/form-data": "multipart"}.get(kind, "json")


def read_fields(
    headers: Headers,
    pieces: Callable[[], Iterator[bytes]],
    length: Optional[int],
    shapes: Mapping[str, str],
    limits: Limits,
) -> Fields:
    form = form_of(headers)
    bytes_max = limits.json_bytes_max if form == "json" else limits.binary_bytes_max
    gzip = _is_gzip(headers)
    if length is not None and length > bytes_max:
        raise too_large("the body", bytes_max)
    wire = _checked(pieces(), bytes_max, _expected_digest(headers))
    body = _inflated(wire, bytes_max) if gzip else wire
    if form == "binary":
        return _read_binary(body, headers.get("x-turnpike-dataset"))
    if form == "multipart":
        boundary = boundary_of(headers.get("content-type") or "")
        return MultipartScanner(boundary, limits.field_bytes_max, limits.list_entries_max).read(body)
    return JsonScanner(shapes, limits.field_bytes_max, limits.list_entries_max).read(body)


def _read_binary(body: Iterator[bytes], dataset: Optional[str]) -> Fields:
    whole = io.BytesIO()
    for piece in body:
        whole.write(piece)
    fields: Fields = {"parameters": whole.getvalue()}
    if dataset is not None:
        name = dataset[len("local:") :] if dataset.startswith("local:") else dataset
        fields["dataset"] = {"$ref": f"local:{name}"}
    return fields


def _is_gzip(headers: Headers) -> bool:
    encoding = (headers.get("content-encoding") or "identity").strip().lower()
    if encoding in ("", "identity"):
        return False
    if encoding == "gzip":
        return True
    message = "the body is encoded in a way that is not read here; gzip is"
    raise Failure(415, "content_encoding", message, headers={"accept-encoding": "gzip"})


def _expected_digest(headers: Headers) -> Optional[bytes]:
    found = _DIGEST.search(headers.get("content-digest") or "")
    if found is None:
        return None
    try:
        return base64.b64decode(found.group(1))
    except binascii.Error:
        return b""


def _checked(pieces: Iterator[bytes], bytes_max: int, digest: Optional[bytes]) -> Iterator[bytes]:
    total = 0
    hashed = hashlib.sha256()
    for piece in pieces:
        total += len(piece)
        if total > bytes_max:
            raise too_large("the body", bytes_max)
        if digest is not None:
            hashed.update(piece)
        yield piece
    if digest is not None and digest != hashed.digest():
        raise invalid("digest_mismatch", "the body is not the one that Content-Digest speaks of")


def _inflated(pieces: Iterator[bytes], bytes_max: int) -> Iterator[bytes]:
    """The bytes behind gzip, never more than the limit: a small body can become a large one."""
    total = 0
    inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        for piece in pieces:
            rest, pending = piece, True
            while rest or pending:
                if inflate.eof:
                    inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
                out = inflate.decompress(rest, _INFLATED_PIECE)
                total += len(out)
                if total > bytes_max:
                    raise too_large("the body", bytes_max)
                if out:
                    yield out
                rest = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
                pending = not inflate.eof and len(out) == _INFLATED_PIECE
    except zlib.error:
        raise invalid("invalid_encoding", "the body is not valid gzip") from None
    if not inflate.eof:
        raise invalid("invalid_encoding", "the body is not valid gzip")
