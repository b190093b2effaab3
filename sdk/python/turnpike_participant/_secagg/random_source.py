"""Where secrets come from. Only the conformance model puts something else here, so that its bytes can be compared."""

from __future__ import annotations

import secrets
from typing import Callable

draw: Callable[[int], bytes] = secrets.token_bytes


def random_bytes(count: int) -> bytes:
    return draw(count)
