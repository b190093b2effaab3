"""What is sent back: a status, headers and pieces of bytes."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any, Callable, Dict, Iterable, Iterator, Optional

from ._base64 import base64_length, encode_base64
from ._failure import Failure, code_of
from ._negotiate import BINARY_TYPE, JSON_TYPE
from ._numbers import json_bytes, json_text
from ._results import Result

_NOT_ASCII = re.compile(r"[^\x20-\x7e]")


class Answer:
    def __init__(self, status: int, headers: Dict[str, str], pieces: Callable[[], Iterable[bytes]], length: int) -> None:
        self.status = status
        self.headers = headers
        self.pieces = pieces
        self.length = length


def answer_failure(failure: Failure, request_id: str) -> Answer:
    body: Dict[str, Any] = {
        "error": failure.message,
        "code": code_of(failure.status),
        "reason": failure.reason,
        "request_id": request_id,
    }
    if failure.path is not None:
        body["details"] = [{"path": failure.path, "message": failure.message}]
    return answer_json(body, failure.status, failure.headers)


def answer_json(body: Any, status: int = 200, headers: Optional[Dict[str, str]] = None) -> Answer:
    data = json_bytes(body)
    own = {"content-type": JSON_TYPE, "content-digest": _digest([data]), **(headers or {})}
    return Answer(status, own, lambda: [data], len(data))


def answer_result(result: Result, binary: bool) -> Answer:
    """The result in the form that was asked for. Parameters leave in pieces; their text never exists as a whole."""
    parameters = result.parameters
    if parameters is None:
        return answer_json(result.numbers)
    if binary:
        return _answer_binary(result)
    head = b'{"parameters":"'
    tail = b'",' + json_bytes(result.numbers)[1:] if result.numbers else b'"}'

    def pieces() -> Iterator[bytes]:
        yield head
        yield from encode_base64(parameters)
        yield tail

    length = len(head) + base64_length(len(parameters)) + len(tail)
    return Answer(200, {"content-type": JSON_TYPE, "content-digest": _digest(pieces())}, pieces, length)


def _answer_binary(result: Result) -> Answer:
    parameters = result.parameters
    if parameters is None:
        raise TypeError("there are no parameters to send")
    data = memoryview(parameters)
    headers = {"content-type": BINARY_TYPE, "content-digest": _digest([data])}
    if "num_examples" in result.numbers:
        headers["x-turnpike-num-examples"] = str(result.numbers["num_examples"])
    if "metrics" in result.numbers:
        headers["x-turnpike-metrics"] = _NOT_ASCII.sub(_escaped, json_text(result.numbers["metrics"]))
    return Answer(200, headers, lambda: [data], len(data))  # type: ignore[list-item]


def _escaped(found: "re.Match[str]") -> str:
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _digest(pieces: Iterable[Any]) -> str:
    hashed = hashlib.sha256()
    for piece in pieces:
        hashed.update(piece)
    return f"sha-256=:{base64.b64encode(hashed.digest()).decode()}:"
