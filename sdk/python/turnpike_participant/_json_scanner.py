"""Reads a JSON object while its bytes arrive: base64 is decoded as it comes, so that no large text exists as a whole."""

from __future__ import annotations

import io
import json
import re
from typing import Any, Dict, Iterator, List, Mapping, NoReturn, Optional

from ._base64 import Base64Decoder
from ._failure import Failure, invalid, too_large

Fields = Dict[str, Any]

_DEPTH_MAX = 512
_SPACE = re.compile(rb"[ \t\n\r]*")
_IN_BASE64 = re.compile(rb'["\\\x00-\x1f]')
_IN_STRING = re.compile(rb'["\\]')
_OUTSIDE = re.compile(rb'["{}\[\]]')
_END_OF_SCALAR = re.compile(rb'[,} \t\n\r"{\[\]]')
_ESCAPES = {"b": 8, "f": 12, "n": 10, "r": 13, "t": 9, '"': 34, "\\": 92, "/": 47}
_END = -1


def _broken(message: str) -> Failure:
    return invalid("invalid_json", message)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def parse_json(data: bytes) -> Any:
    """Strict JSON: no NaN, no infinity. Raises ValueError."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("too deep") from error


class _Input:
    """The bytes of the body, one piece at a time."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self.piece = b""
        self.at = 0

    def more(self) -> bool:
        for piece in self._pieces:
            if piece:
                self.piece, self.at = piece, 0
                return True
        self.piece, self.at = b"", 0
        return False

    def peek(self) -> int:
        if self.at >= len(self.piece) and not self.more():
            return _END
        return self.piece[self.at]

    def skip_space(self) -> int:
        """The next byte that is not white space."""
        while True:
            found = _SPACE.match(self.piece, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.piece):
                return self.piece[self.at]
            if not self.more():
                return _END


class JsonScanner:
    def __init__(self, shapes: Mapping[str, str], field_bytes_max: int, list_entries_max: int) -> None:
        self._shapes = shapes
        self._field_bytes_max = field_bytes_max
        self._list_entries_max = list_entries_max

    def read(self, pieces: Iterator[bytes]) -> Fields:
        source = _Input(pieces)
        self._start(source)
        fields: Fields = {}
        byte = self._next(source)
        while byte != 0x7D:
            if byte != 0x22:
                raise _broken("a field's name is missing")
            key = self._parse(self._capture(source, "a field's name"), "a field's name is not valid JSON")
            if key in fields:
                raise _broken("a field stands twice in the body")
            if self._next(source) != 0x3A:
                raise _broken("a colon is missing behind a field's name")
            source.at += 1
            fields[key] = self._value(source, key)
            byte = self._next(source)
            if byte == 0x2C:
                source.at += 1
                byte = self._next(source)
                if byte == 0x7D:
                    raise _broken("a field's name is missing")
            elif byte != 0x7D:
                raise _broken("a comma is missing between two fields")
        source.at += 1
        if source.skip_space() != _END:
            raise _broken("something stands behind the end of the object")
        return fields

    def _start(self, source: _Input) -> None:
        byte = source.skip_space()
        if byte == _END:
            raise _broken("the body is empty")
        if byte != 0x7B:
            if byte in b'"0123456789[tfn-':
                raise invalid("wrong_type", "the body must be a JSON object")
            raise _broken("the body is not JSON")
        source.at += 1

    def _next(self, source: _Input) -> int:
        byte = source.skip_space()
        if byte == _END:
            raise _broken("the body ends too early")
        return byte

    def _value(self, source: _Input, key: str) -> Any:
        byte = self._next(source)
        shape = self._shapes.get(key, "json")
        if shape == "base64" and byte == 0x22:
            source.at += 1
            return self._base64(source, key, key)
        if shape == "list" and byte == 0x5B:
            source.at += 1
            return self._list(source, key)
        return self._parse(self._capture(source, key), f"{key} is not valid JSON")

    def _list(self, source: _Input, key: str) -> List[bytes]:
        entries: List[bytes] = []
        byte = self._next(source)
        if byte == 0x5D:
            source.at += 1
            return entries
        while True:
            path = f"{key}[{len(entries)}]"
            if byte != 0x22:
                raise invalid("wrong_type", f"{path} must be a base64 string", path)
            if len(entries) >= self._list_entries_max:
                raise invalid("too_many", f"{key} has more than {self._list_entries_max} entries", key)
            source.at += 1
            entries.append(self._base64(source, path, key))
            byte = self._next(source)
            source.at += 1
            if byte == 0x5D:
                return entries
            if byte != 0x2C:
                raise _broken(f"{key} is not valid JSON")
            byte = self._next(source)

    def _base64(self, source: _Input, path: str, key: str) -> bytes:
        decoder = Base64Decoder(path)
        while True:
            if source.peek() == _END:
                raise _broken("the body ends too early")
            found = _IN_BASE64.search(source.piece, source.at)
            end = found.start() if found else len(source.piece)
            if end > source.at:
                whole = source.at == 0 and end == len(source.piece)
                decoder.push(source.piece if whole else source.piece[source.at : end])
            source.at = end
            if found is None:
                continue
            byte = source.piece[end]
            source.at += 1
            if byte == 0x22:
                return decoder.end()
            if byte != 0x5C:
                raise _broken(f"{key} has a control character in it")
            decoder.character(self._escape(source, key))

    def _escape(self, source: _Input, key: str) -> int:
        kind = chr(self._take(source))
        if kind == "u":
            digits = "".join(chr(self._take(source)) for _ in range(4))
            code: Optional[int] = int(digits, 16) if re.fullmatch("[0-9a-fA-F]{4}", digits) else None
        else:
            code = _ESCAPES.get(kind)
        if code is None:
            raise _broken(f"{key} has an escape in it that JSON does not know")
        return code

    def _take(self, source: _Input) -> int:
        byte = source.peek()
        if byte == _END:
            raise _broken("the body ends too early")
        source.at += 1
        return byte

    def _capture(self, source: _Input, name: str) -> bytes:
        """The text of one value."""
        text = io.BytesIO()
        depth = 0
        in_string = False
        is_scalar = source.peek() not in b'"{['
        while True:
            if source.peek() == _END:
                raise _broken("the body ends too early")
            pattern = _END_OF_SCALAR if is_scalar else _IN_STRING if in_string else _OUTSIDE
            found = pattern.search(source.piece, source.at)
            end = found.start() if found else len(source.piece)
            done = False
            escaped = False
            if found and not is_scalar:
                byte = source.piece[end]
                end += 1
                if in_string:
                    escaped = byte == 0x5C
                    in_string = escaped
                    done = not in_string and depth == 0
                elif byte == 0x22:
                    in_string = True
                elif byte in b"{[":
                    depth += 1
                    if depth > _DEPTH_MAX:
                        raise _broken(f"the body is nested deeper than {_DEPTH_MAX} levels")
                else:
                    depth -= 1
                    done = depth == 0
            elif found:
                done = True
            self._keep(text, source.piece[source.at : end], name)
            source.at = end
            if escaped:
                self._keep(text, bytes((self._take(source),)), name)
            if done:
                return text.getvalue()

    def _keep(self, text: io.BytesIO, piece: bytes, name: str) -> None:
        if text.tell() + len(piece) > self._field_bytes_max:
            raise too_large(name, self._field_bytes_max)
        text.write(piece)

    @staticmethod
    def _parse(text: bytes, message: str) -> Any:
        try:
            return parse_json(text)
        except ValueError:
            raise _broken(message) from None
