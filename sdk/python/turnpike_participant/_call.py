"""A call with every field checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._failure import Failure, invalid
from ._json_scanner import Fields

METHODS = ("train", "evaluate", "aggregate")
_INTEGER_MAX = 2**53 - 1


@dataclass(frozen=True)
class Call:
    method: str
    parameters: Optional[bytes]
    parameters_list: List[bytes]
    has_dataset: bool
    dataset: Any
    run_id: Optional[str]
    round: Optional[int]
    config: Dict[str, Any]
    deadline_ms: Optional[int]
    weights: Optional[List[float]]


def read_call(path: str, fields: Fields) -> Call:
    method = _read_method(fields) if path == "call" else path
    is_aggregate = method == "aggregate"
    # Absent and null mean the same for everything that is optional.
    parameters_list = _read_list(fields) if is_aggregate else []
    return Call(
        method=method,
        parameters=None if is_aggregate else _read_parameters(fields),
        parameters_list=parameters_list,
        has_dataset="dataset" in fields,
        dataset=fields.get("dataset"),
        run_id=_read_run_id(fields.get("run_id")),
        round=_read_count("round", fields.get("round"), 0),
        config=_read_config(fields.get("config")),
        deadline_ms=_read_count("deadline_ms", fields.get("deadline_ms"), 1),
        weights=_read_weights(fields.get("weights"), len(parameters_list)) if is_aggregate else None,
    )


def _wrong_type(path: str, what: str) -> Failure:
    return invalid("wrong_type", f"{path} must be {what}", path)


def _read_method(fields: Fields) -> str:
    if "method" not in fields:
        raise invalid("missing_field", "method is missing", "method")
    method = fields["method"]
    if not isinstance(method, str) or method not in METHODS:
        raise _wrong_type("method", f"one of {', '.join(METHODS)}")
    return method


def _read_parameters(fields: Fields) -> Optional[bytes]:
    if "parameters" not in fields:
        raise invalid("missing_field", "parameters is missing", "parameters")
    parameters = fields["parameters"]
    if parameters is None or isinstance(parameters, bytes):
        return parameters
    raise _wrong_type("parameters", "a base64 string or null")


def _read_list(fields: Fields) -> List[bytes]:
    if "parameters_list" not in fields:
        raise invalid("missing_field", "parameters_list is missing", "parameters_list")
    entries = fields["parameters_list"]
    if not isinstance(entries, list) or not all(isinstance(entry, bytes) for entry in entries):
        raise _wrong_type("parameters_list", "an array of base64 strings")
    if not entries:
        raise invalid("empty_list", "parameters_list is empty", "parameters_list")
    return entries


def _read_run_id(value: Any) -> Optional[str]:
    if value is None or isinstance(value, str):
        return value
    raise _wrong_type("run_id", "a string")


def _read_count(path: str, value: Any, least: int) -> Optional[int]:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= _INTEGER_MAX:
        return value
    raise _wrong_type(path, f"an integer of at least {least}")


def _read_config(value: Any) -> Dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise _wrong_type("config", "an object")


def _read_weights(value: Any, length: int) -> Optional[List[float]]:
    if value is None:
        return None
    if isinstance(value, list) and len(value) == length and all(_is_weight(weight) for weight in value):
        weights = [float(weight) for weight in value]
        if any(weight > 0 for weight in weights):
            return weights
    raise _wrong_type("weights", "as many numbers as parameters_list has entries, none negative, not all zero")


def _is_weight(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
