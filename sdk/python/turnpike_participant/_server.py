"""HTTP/1.1 on the standard library: a thread per connection, bodies read as they come."""

from __future__ import annotations

import errno
import http.client
import select
import socket
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterator, Mapping, Optional, Tuple, Type

from ._answers import Answer, answer_failure
from ._failure import Failure, invalid
from ._settings import Settings

_READ_BYTES = 256 * 1024
_DRAIN_BYTES = 16 * 1024 * 1024
_DRAIN_SECONDS = 5.0
_CHUNK_LINE_MAX = 1024


class Request:
    """One request: its body is read only by who iterates over `pieces`."""

    def __init__(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        length: Optional[int],
        pieces: Callable[[], Iterator[bytes]],
        is_gone: Callable[[], bool],
    ) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.length = length
        self.pieces = pieces
        self.is_gone = is_gone


Handle = Callable[[Request], Answer]


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is nobody's fault here."""


def listen(handle: Handle, settings: Settings) -> Server:
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    kind: Type[Server] = type("BoundServer", (Server,), {"address_family": family})
    try:
        return kind((host, settings.port), _handler_for(handle, settings))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        hint = " (on macOS AirPlay takes 5000; set PORT)" if settings.port == 5000 else ""
        raise RuntimeError(f"something else listens on {host}:{settings.port} already{hint}") from error


def address_of(server: Server, settings: Settings) -> str:
    host = settings.host.strip("[]")
    return f"http://{f'[{host}]' if ':' in host else host}:{server.server_address[1]}"


def _handler_for(handle: Handle, settings: Settings) -> Type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "turnpike-participant"
        sys_version = ""
        timeout = settings.limits.first_byte_seconds
        disable_nagle_algorithm = True
        wbufsize = 64 * 1024

        def do_POST(self) -> None:
            # What is read line by line for the headers is left to the body as it stands.
            self._body_ended = False
            self._expects = self.headers.get("expect", "").lower() == "100-continue"
            try:
                length, chunked = _framing(self.headers)
            except Failure as failure:
                self._send(answer_failure(failure, "-"), True)
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            path = self.path.split("?", 1)[0].split("#", 1)[0]
            pieces = self._chunks if chunked else lambda: self._counted(length or 0)
            if not chunked and not length:
                self._body_ended = True
            request = Request(self.command, path, headers, None if chunked else length, pieces, self._is_gone)
            answer = handle(request)
            self._send(answer, not self._body_ended)

        do_GET = do_HEAD = do_OPTIONS = do_PUT = do_DELETE = do_PATCH = do_TRACE = do_CONNECT = do_POST

        def handle_expect_100(self) -> bool:
            """The body is asked for when somebody wants it, not before the caller is known."""
            return True

        def log_message(self, format: str, *args: Any) -> None:
            """The participant writes its own line per call."""

        def send_error(self, code: int, message: Optional[str] = None, explain: Optional[str] = None) -> None:
            status = 405 if code == 501 else code
            reason = {405: "method", 408: "slow_body"}.get(status, "invalid_request")
            text = message or http.client.responses.get(status, "the request cannot be read")
            self._send(answer_failure(Failure(status, reason, text), "-"), True)

        def _send(self, answer: Answer, close: bool) -> None:
            self.send_response_only(answer.status)
            self.send_header("date", self.date_time_string())
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.status != 204:
                self.send_header("content-length", str(answer.length))
            if close:
                self.send_header("connection", "close")
                self.close_connection = True
            self.end_headers()
            if self.command != "HEAD" and answer.status != 204:
                for piece in answer.pieces():
                    self.wfile.write(piece)
            self.wfile.flush()
            if close:
                self._drain()

        def _drain(self) -> None:
            """A caller that is still sending would lose the answer if the connection were simply cut."""
            try:
                self.connection.shutdown(socket.SHUT_WR)
                self.connection.settimeout(1.0)
                left, end = _DRAIN_BYTES, time.monotonic() + _DRAIN_SECONDS
                while left > 0 and time.monotonic() < end:
                    piece = self.rfile.read1(_READ_BYTES)
                    if not piece:
                        return
                    left -= len(piece)
            except OSError:
                return

        def _counted(self, length: int) -> Iterator[bytes]:
            self._begin_body()
            left = length
            while left > 0:
                piece = self._read(min(left, _READ_BYTES))
                left -= len(piece)
                self._body_ended = left == 0
                yield piece

        def _chunks(self) -> Iterator[bytes]:
            self._begin_body()
            while True:
                size = self._chunk_size()
                if size == 0:
                    break
                left = size
                while left > 0:
                    piece = self._read(min(left, _READ_BYTES))
                    left -= len(piece)
                    yield piece
                if self._line() != b"":
                    raise invalid("invalid_request", "a chunk of the body does not end where it says")
            while self._line() != b"":
                pass
            self._body_ended = True

        def _begin_body(self) -> None:
            if self._expects:
                self.send_response_only(100)
                self.end_headers()
                self.wfile.flush()
                self._expects = False
            self._timeout = settings.limits.first_byte_seconds
            self._begun_at: Optional[float] = None
            self._received = 0

        def _chunk_size(self) -> int:
            text = self._line().split(b";")[0].strip()
            if not text or len(text) > 15 or any(byte not in b"0123456789abcdefABCDEF" for byte in text):
                raise invalid("invalid_request", "the size of a chunk of the body cannot be read")
            return int(text, 16)

        def _line(self) -> bytes:
            # Byte by byte out of a buffer, so that the time is looked at in a line, too.
            line = bytearray()
            while not line.endswith(b"\n"):
                if len(line) == _CHUNK_LINE_MAX:
                    raise invalid("invalid_request", "a line of the body is too long")
                line += self._read(1)
            return bytes(line).rstrip(b"\r\n")

        def _read(self, size: int) -> bytes:
            self.connection.settimeout(self._timeout)
            try:
                piece: bytes = self.rfile.read1(size)
            except socket.timeout:
                raise Failure(408, "slow_body", "the body did not arrive in time") from None
            if not piece:
                raise invalid("invalid_json", "the body ends too early")
            self._timeout = settings.limits.idle_seconds
            self._received += len(piece)
            self._check_rate()
            return piece

        def _check_rate(self) -> None:
            """A byte now and then is not idle, and would hold the place for ever."""
            now = time.monotonic()
            if self._begun_at is None:
                self._begun_at = now
            late = now - self._begun_at - settings.limits.idle_seconds
            if late > 0 and self._received < late * settings.limits.body_rate_min:
                raise Failure(408, "slow_body", "the body did not arrive in time")

        def _is_gone(self) -> bool:
            try:
                if not select.select([self.connection], [], [], 0)[0]:
                    return False
                return len(self.connection.recv(1, socket.MSG_PEEK)) == 0
            except (OSError, ValueError):
                return True

    return Handler


def _framing(headers: Any) -> Tuple[Optional[int], bool]:
    encoding = headers.get("transfer-encoding")
    lengths = headers.get_all("content-length") or []
    if encoding is not None:
        if lengths or encoding.strip().lower() != "chunked":
            raise invalid("invalid_request", "the length of the body cannot be told")
        return None, True
    if not lengths:
        return None, False
    if len(set(lengths)) > 1 or not lengths[0].strip().isdigit():
        raise invalid("invalid_request", "the length of the body cannot be told")
    return int(lengths[0]), False


