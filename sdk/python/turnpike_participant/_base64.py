"""Strict base64 of RFC 4648, piece by piece: standard alphabet, padding required, ASCII white space skipped."""

from __future__ import annotations

import binascii
import io
from typing import Iterator

from ._failure import Failure, invalid

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_SPACE = b" \t\n\f\r"
_PIECE = 3 * 64 * 1024


class Base64Decoder:
    """Takes text as it comes; what it gives back at the end was never copied as a whole."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._out = io.BytesIO()
        self._carry = b""
        self._pads = 0

    def push(self, text: bytes) -> None:
        """Takes characters; `text` holds no escapes any more."""
        foreign = text.translate(None, _ALPHABET)
        if not foreign and self._pads == 0:
            self._groups(text)
            return
        if not foreign.translate(None, _SPACE) and self._pads == 0:
            self._groups(text.translate(None, _SPACE))
            return
        self._slowly(text)

    def character(self, code: int) -> None:
        """One character that was written as an escape."""
        if code > 255:
            raise self._refuse(code)
        self.push(bytes((code,)))

    def end(self) -> bytes:
        carry = self._carry
        if carry:
            if len(carry) + self._pads != 4:
                raise self._wrong("it ends in mid-group; padding with = is required")
            whole = carry + b"=" * self._pads
            decoded = binascii.a2b_base64(whole)
            if binascii.b2a_base64(decoded, newline=False) != whole:
                raise self._wrong("bits behind its last byte are not zero")
            self._out.write(decoded)
        return self._out.getvalue()

    def _groups(self, text: bytes) -> None:
        if self._carry:
            text = self._carry + text
        whole = len(text) & ~3
        self._carry = text[whole:]
        if whole:
            self._out.write(binascii.a2b_base64(text[:whole] if self._carry else text))

    def _slowly(self, text: bytes) -> None:
        at = 0
        while at < len(text):
            byte = text[at]
            if byte in _SPACE:
                at += 1
            elif self._pads == 0 and byte in _ALPHABET:
                end = at + 1
                while end < len(text) and text[end] in _ALPHABET:
                    end += 1
                self._groups(text[at:end])
                at = end
            elif byte == 0x3D and len(self._carry) >= 2 and len(self._carry) + self._pads < 4:
                self._pads += 1
                at += 1
            else:
                raise self._refuse(byte)

    def _refuse(self, code: int) -> Failure:
        if code in (0x2D, 0x5F):
            return self._wrong("it looks like base64url; the standard alphabet with + and / is wanted")
        if code < 128 and (code in _ALPHABET or code == 0x3D):
            return self._wrong("padding stands where none belongs")
        return self._wrong(f"the character with code {code} does not belong there")

    def _wrong(self, why: str) -> Failure:
        return invalid("invalid_base64", f"{self._path} is not base64: {why}", self._path)


def base64_length(size: int) -> int:
    """How many bytes of text so many bytes become."""
    return (size + 2) // 3 * 4


def encode_base64(data: "memoryview | bytes") -> Iterator[bytes]:
    """The text of the bytes, in pieces, so that it never exists as a whole."""
    view = memoryview(data)
    for at in range(0, len(view), _PIECE):
        yield binascii.b2a_base64(view[at : at + _PIECE], newline=False)
