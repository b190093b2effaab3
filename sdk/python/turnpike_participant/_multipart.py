"""Reads `multipart/form-data` while it arrives: `meta` (JSON, first), then `parameters`, one or many in order."""

from __future__ import annotations

import io
import re
from typing import Any, Dict, Iterator, List, Optional

from ._failure import Failure, invalid, too_large
from ._json_scanner import Fields, parse_json

_HEADERS_MAX = 16 * 1024
_BOUNDARY = re.compile(r';\s*boundary=(?:"([^"]+)"|([^\s;]+))', re.IGNORECASE)
_NAME = re.compile(rb'^content-disposition:[^\r\n]*;\s*name="?([^";\r\n]*)"?', re.IGNORECASE | re.MULTILINE)


def _broken(message: str) -> Failure:
    return invalid("invalid_multipart", f"the multipart body is broken: {message}")


def boundary_of(content_type: str) -> bytes:
    found = _BOUNDARY.search(content_type)
    boundary = (found.group(1) or found.group(2) or "") if found else ""
    if not boundary or len(boundary) > 70:
        raise _broken("its type names no usable boundary")
    return boundary.encode("latin-1")


class MultipartScanner:
    def __init__(self, boundary: bytes, meta_bytes_max: int, entries_max: int) -> None:
        self._delimiter = b"\r\n--" + boundary
        self._meta_bytes_max = meta_bytes_max
        self._entries_max = entries_max
        self._carry = b"\r\n"
        self._meta: Optional[bytes] = None
        self._parts: List[bytes] = []

    def read(self, pieces: Iterator[bytes]) -> Fields:
        self._until_delimiter(pieces, "", None)
        while self._behind_delimiter(pieces):
            name = self._headers(pieces)
            kept = io.BytesIO() if name in ("meta", "parameters") else None
            self._until_delimiter(pieces, name, kept)
            if name == "meta" and kept is not None:
                self._meta = kept.getvalue()
                self._read_meta()
            elif kept is not None:
                self._parts.append(kept.getvalue())
        for _ in pieces:
            pass
        return self._fields()

    def _fields(self) -> Fields:
        meta = {} if self._meta is None else self._read_meta()
        if not isinstance(meta, dict):
            raise invalid("wrong_type", "meta must be a JSON object", "meta")
        fields: Dict[str, Any] = dict(meta)
        if self._parts:
            fields["parameters"] = self._parts[0]
            fields["parameters_list"] = self._parts
        return fields

    def _read_meta(self) -> Any:
        try:
            return parse_json(self._meta or b"")
        except ValueError:
            raise invalid("invalid_json", "meta is not valid JSON", "meta") from None

    def _more(self, pieces: Iterator[bytes]) -> None:
        for piece in pieces:
            self._carry = self._carry + piece if self._carry else piece
            return
        raise _broken("it ends too early")

    def _until_delimiter(self, pieces: Iterator[bytes], name: str, kept: Optional[io.BytesIO]) -> None:
        while True:
            found = self._carry.find(self._delimiter)
            safe = found if found >= 0 else max(0, len(self._carry) - len(self._delimiter) + 1)
            if kept is not None:
                if name == "meta" and kept.tell() + safe > self._meta_bytes_max:
                    raise too_large("meta", self._meta_bytes_max)
                kept.write(memoryview(self._carry)[:safe])
            if found >= 0:
                self._carry = self._carry[found + len(self._delimiter) :]
                return
            self._carry = self._carry[safe:]
            self._more(pieces)

    def _behind_delimiter(self, pieces: Iterator[bytes]) -> bool:
        while len(self._carry) < 2:
            self._more(pieces)
        following = self._carry[:2]
        if following not in (b"--", b"\r\n"):
            raise _broken("a boundary is followed by something else")
        return following == b"\r\n"

    def _headers(self, pieces: Iterator[bytes]) -> str:
        while True:
            end = self._carry.find(b"\r\n\r\n")
            if end >= 0:
                break
            if len(self._carry) > _HEADERS_MAX:
                raise _broken("the headers of a part are too long")
            self._more(pieces)
        found = _NAME.search(self._carry[:end])
        name = found.group(1).decode("latin-1") if found else ""
        if name == "meta" and (self._meta is not None or self._parts):
            raise _broken("meta comes first, and once")
        if name == "parameters" and len(self._parts) >= self._entries_max:
            raise invalid("too_many", f"there are more than {self._entries_max} parts of parameters", "parameters")
        self._carry = self._carry[end + 4 :]
        return name
