"""What a caller did wrong, or what went wrong here, and how it is answered."""

from __future__ import annotations

from typing import Dict, Optional


class Failure(Exception):
    """An error that is answered as it stands: a status and a finer reason."""

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        path: Optional[str] = None,
        headers: Optional[Dict[str, str]] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.path = path
        self.headers = headers or {}
        self.cause: Optional[BaseException] = None


class ParticipantError(Exception):
    """Raised by a participant's own function: its message and status are meant for the caller."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        if not isinstance(status, int) or not 400 <= status <= 599:
            raise ValueError("the status of a ParticipantError is between 400 and 599")
        self.message = message
        self.status = status


def code_of(status: int) -> str:
    """The platform's code for a status."""
    known = {401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND"}
    return known.get(status) or ("SERVER_ERROR" if status >= 500 else "VALIDATION_ERROR")


def invalid(reason: str, message: str, path: Optional[str] = None) -> Failure:
    return Failure(400, reason, message, path)


def too_large(what: str, bytes_max: int) -> Failure:
    return Failure(413, "too_large", f"{what} is larger than {bytes_max} bytes")
