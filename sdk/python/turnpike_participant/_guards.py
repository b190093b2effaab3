"""Who may call."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Mapping, Optional, Sequence

from ._failure import Failure

Headers = Mapping[str, str]


def is_loopback(host: str) -> bool:
    """Whether only programs on the same machine can reach it."""
    name = host.lower()
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name in ("localhost", "::1") or re.fullmatch(r"127(\.\d{1,3}){3}", name) is not None


def check_host(headers: Headers, bound_to: str) -> None:
    """A page in a browser can be made to call a local address; its Host then is the page's own name."""
    if not is_loopback(bound_to):
        return
    host = headers.get("host") or ""
    if host and not is_loopback(re.sub(r":\d+$", "", host)):
        raise Failure(403, "host", "this participant is bound to its own machine and called by another name")


def check_origin(headers: Headers, allowed: Sequence[str]) -> Optional[str]:
    """Pages of other origins may not call, unless they are on the list. Gives the origin that may read the answer."""
    origin = headers.get("origin")
    if origin is not None and origin in allowed:
        return origin
    if origin is not None or headers.get("sec-fetch-site") == "cross-site":
        raise Failure(403, "origin", "pages of this origin may not call the participant")
    return None


def check_token(headers: Headers, tokens: Sequence[str]) -> None:
    if not tokens:
        return
    header = headers.get("authorization")
    challenge = {"www-authenticate": "Bearer"}
    if header is None:
        raise Failure(401, "missing_token", "a bearer token is required", headers=challenge)
    found = re.fullmatch(r"bearer +(\S+) *", header, re.IGNORECASE)
    given = _hash(found.group(1) if found else "")
    # Every token is looked at, and in the same time, so that a wrong one tells nothing.
    matches = [own for own in tokens if hmac.compare_digest(_hash(own), given)]
    if not matches:
        raise Failure(401, "bad_token", "the bearer token is not one of this participant's", headers=challenge)


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
