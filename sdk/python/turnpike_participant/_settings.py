"""What a participant takes and where it listens; each has a default and can be set."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field, fields, replace
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

from ._guards import is_loopback

_MIB = 1024 * 1024

Log = Callable[[Dict[str, Any]], None]


@dataclass(frozen=True)
class Limits:
    #: A JSON body, also when it was inflated.
    json_bytes_max: int = 512 * _MIB
    #: A binary body.
    binary_bytes_max: int = 4096 * _MIB
    #: The text of `dataset`, or of any other field that is not parameters.
    field_bytes_max: int = 64 * _MIB
    rows_max: int = 1_000_000
    list_entries_max: int = 1024
    #: Calls of /train that wait behind the one that runs.
    queue_max: int = 1
    #: Calls of /evaluate and /aggregate at the same time.
    parallel_max: int = 4
    first_byte_seconds: float = 60.0
    idle_seconds: float = 30.0
    #: Bytes a second that a body has to keep, on average, once `idle_seconds` have passed.
    body_rate_min: float = 8 * 1024


@dataclass(frozen=True)
class Settings:
    #: How it calls itself in /info.
    name: str = "participant"
    #: Where to listen; HOST and PORT, else 127.0.0.1 and 5000.
    host: str = "127.0.0.1"
    port: int = 5000
    #: Bearer tokens that open it, several while one is replaced; TURNPIKE_PARTICIPANT_TOKEN, separated by commas.
    tokens: Tuple[str, ...] = ()
    #: Listens to other machines without a token.
    insecure: bool = False
    #: Origins of pages that may call it from a browser.
    origins: Tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    #: Tells callers the words of errors that its functions raise.
    expose_errors: bool = False
    #: Where a line per call goes; JSON on stderr unless said otherwise.
    log: Optional[Log] = None
    #: Starts with some of the functions only; the others answer 404.
    partial: bool = False
    #: Gives updates away by secure aggregation only; /train answers 403.
    secure_only: bool = False
    #: The shape of its parameters, where they are bare floats (`f32le`); /info tells it.
    shape: Optional[Sequence[int]] = None
    #: What all participants of secure rounds know and no coordinator does; TURNPIKE_PARTICIPANT_GROUP_SECRET.
    group_secret: Optional[str] = None


def write_line(line: Dict[str, Any]) -> None:
    print(json.dumps(line), file=sys.stderr, flush=True)


def read_settings(options: Mapping[str, Any], base: Optional[Settings] = None) -> Settings:
    """Options over the environment over the defaults."""
    known = {each.name for each in fields(Settings)}
    unknown = sorted(set(options) - known)
    if unknown:
        raise TypeError(f"there is no option {', '.join(unknown)}")
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("tokens", "origins"):
        if name in given:
            given[name] = _as_tuple(given[name])
    if isinstance(given.get("limits"), Mapping):
        given["limits"] = replace(Limits(), **given["limits"])
    if given.get("log") is False:
        given["log"] = lambda line: None
    if "group_secret" in given:
        given["group_secret"] = _read_group_secret(given["group_secret"])
    return replace(base or _from_environment(), **given)


def _from_environment() -> Settings:
    tokens = os.environ.get("TURNPIKE_PARTICIPANT_TOKEN", "")
    return Settings(
        host=os.environ.get("HOST") or "127.0.0.1",
        port=_read_port(os.environ.get("PORT") or "5000"),
        tokens=tuple(token for token in tokens.split(",") if token),
        group_secret=_read_group_secret(os.environ.get("TURNPIKE_PARTICIPANT_GROUP_SECRET", "")),
    )


def _as_tuple(value: Union[str, Sequence[str]]) -> Tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _read_group_secret(text: str) -> Optional[str]:
    if not text:
        return None
    # A coordinator could try out short ones: it sees what is proved by them.
    if len(text) < 16:
        raise ValueError("the secret of the group has fewer than 16 characters")
    return text


def _read_port(text: str) -> int:
    if not text.isdigit() or int(text) > 65_535:
        raise ValueError("PORT is not the number of a port")
    return int(text)


def check_exposure(settings: Settings) -> None:
    """Others than this machine are let in only with a token."""
    if is_loopback(settings.host) or settings.tokens or settings.insecure:
        return
    raise RuntimeError(
        f"{settings.host} can be reached from other machines: "
        "set a token (TURNPIKE_PARTICIPANT_TOKEN), or insecure if you mean it"
    )
