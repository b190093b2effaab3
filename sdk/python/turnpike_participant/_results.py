"""What a function gave, checked, with the names of the wire."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Union

from ._failure import Failure
from ._arrays import is_tensors
from .tensors import write_safetensors


@dataclass(frozen=True)
class Result:
    parameters: Optional[Union[bytes, memoryview]] = None
    numbers: Dict[str, Any] = field(default_factory=dict)


def _wrong(message: str) -> Failure:
    return Failure(500, "invalid_result", message)


def read_result(method: str, returned: Any) -> Result:
    return _read_evaluation(returned) if method == "evaluate" else _read_parameters(method, returned)


def _read_parameters(method: str, returned: Any) -> Result:
    rich = returned if isinstance(returned, Mapping) and "parameters" in returned else None
    if rich is not None and is_tensors(rich):
        rich = None
    parameters = _as_bytes(returned if rich is None else rich["parameters"])
    if parameters is None:
        raise _wrong(f"the {method} function must return bytes or named tensors")
    return Result(parameters, {} if rich is None else _extras(method, rich))


def _read_evaluation(returned: Any) -> Result:
    rich = returned if isinstance(returned, Mapping) and "accuracy" in returned else None
    accuracy = _as_number(returned if rich is None else rich["accuracy"])
    if accuracy is None:
        raise _wrong("the evaluate function gave no finite number")
    return Result(None, {"accuracy": accuracy, **({} if rich is None else _extras("evaluate", rich))})


def _extras(method: str, rich: Mapping[str, Any]) -> Dict[str, Any]:
    extras: Dict[str, Any] = {}
    if method == "evaluate" and "loss" in rich:
        extras["loss"] = _finite("loss", rich["loss"])
    if "num_examples" in rich:
        count = _finite("num_examples", rich["num_examples"])
        if count != int(count) or count < 0:
            raise _wrong("num_examples is not a count")
        extras["num_examples"] = int(count)
    if "metrics" in rich:
        if not isinstance(rich["metrics"], Mapping):
            raise _wrong("metrics is not an object of numbers")
        extras["metrics"] = {str(name): _finite(f"metrics.{name}", value) for name, value in rich["metrics"].items()}
    return extras


def _finite(name: str, value: Any) -> float:
    number = _as_number(value)
    if number is None:
        raise _wrong(f"{name} is not a finite number")
    return number


def _as_number(value: Any) -> Optional[float]:
    """Numbers of any kind, numpy's and tensors of one element among them; no truth values, nothing infinite."""
    if not isinstance(value, (bool, int, float)) and hasattr(value, "item"):
        try:
            value = value.item()
        except (ValueError, TypeError, RuntimeError):
            return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    number: float = value if isinstance(value, (int, float)) else float(value)
    return number if math.isfinite(number) else None


def _as_bytes(value: Any) -> Optional[Union[bytes, memoryview]]:
    if isinstance(value, bytes):
        return value
    if isinstance(value, (bytearray, memoryview)):
        view = memoryview(value)
        return view.cast("B") if view.contiguous and view.format != "B" else view if view.contiguous else view.tobytes()
    return write_safetensors(value) if is_tensors(value) else None
