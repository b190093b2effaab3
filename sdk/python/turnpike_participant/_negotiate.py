"""Which form the answer has."""

from __future__ import annotations

import re
from typing import List, Optional, Tuple

from ._failure import Failure

JSON_TYPE = "application/json"
BINARY_TYPE = "application/octet-stream"
_QUALITY = re.compile(r"q=(\d(?:\.\d*)?)")


def wants_binary(accept: Optional[str], can_be_binary: bool) -> bool:
    """Whether the answer is binary: only when that is asked for before JSON."""
    ranges = _parse(accept if accept is not None else "*/*")
    json_quality = _quality(JSON_TYPE, ranges)
    binary_quality = _quality(BINARY_TYPE, ranges) if can_be_binary else (0.0, 0)
    if json_quality[0] == 0 and binary_quality[0] == 0:
        offered = f"{JSON_TYPE} and {BINARY_TYPE}" if can_be_binary else JSON_TYPE
        raise Failure(406, "not_acceptable", f"what Accept asks for is not to be had; {offered} can")
    return binary_quality > json_quality


def _parse(accept: str) -> List[Tuple[str, float]]:
    ranges = []
    for item in accept.split(","):
        kind, *settings = [part.strip().lower() for part in item.split(";")]
        found = [match for match in (_QUALITY.fullmatch(setting) for setting in settings) if match]
        if kind:
            ranges.append((kind, float(found[0].group(1)) if found else 1.0))
    return ranges


def _quality(kind: str, ranges: List[Tuple[str, float]]) -> Tuple[float, int]:
    forms = ["*/*", f"{kind.split('/')[0]}/*", kind]
    best = (0.0 if ranges else 1.0, -1)
    for name, quality in ranges:
        exactness = forms.index(name) if name in forms else -1
        if exactness > best[1]:
            best = (quality, exactness)
    return best
