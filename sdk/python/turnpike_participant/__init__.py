"""Takes part in training over HTTP: register train, evaluate and aggregate functions, then run()."""

from __future__ import annotations

from typing import Any, Callable, Optional, TypeVar

from ._arrays import from_numpy, from_torch, to_numpy, to_torch
from ._failure import ParticipantError
from ._perform import Context
from ._settings import Limits
from ._version import VERSION as __version__
from .flock import FlockModel, FlockSDK
from .mean import weighted_mean
from .pack import PackedUpdate, pack_update
from .participant import Listener, Participant
from .tensors import (
    FormatError,
    Tensor,
    float32,
    read_npy,
    read_raw,
    read_safetensors,
    read_tensors,
    sniff_format,
    write_npy,
    write_safetensors,
    write_tensors,
)

__all__ = [
    "Context",
    "FlockModel",
    "FlockSDK",
    "FormatError",
    "Limits",
    "Listener",
    "PackedUpdate",
    "Participant",
    "ParticipantError",
    "Tensor",
    "__version__",
    "default_participant",
    "float32",
    "from_numpy",
    "from_torch",
    "pack_update",
    "read_npy",
    "read_raw",
    "read_safetensors",
    "read_tensors",
    "register_aggregate",
    "register_dataset",
    "register_evaluate",
    "register_train",
    "run",
    "sniff_format",
    "to_numpy",
    "to_torch",
    "weighted_mean",
    "write_npy",
    "write_safetensors",
    "write_tensors",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_shared: Optional[Participant] = None


def default_participant() -> Participant:
    """The participant behind the functions below."""
    global _shared
    if _shared is None:
        _shared = Participant()
    return _shared


def register_train(func: _Function) -> _Function:
    """`func(parameters, dataset)` gives parameters; it gets None where training starts from nothing."""
    return default_participant().register_train(func)


def register_evaluate(func: _Function) -> _Function:
    """`func(parameters, dataset)` gives a number, the larger the better."""
    return default_participant().register_evaluate(func)


def register_aggregate(func: _Function) -> _Function:
    """`func(parameters_list)` gives parameters."""
    return default_participant().register_aggregate(func)


def register_dataset(name: str, source: Any) -> None:
    """Rows that lie here and are named by callers."""
    default_participant().register_dataset(name, source)


def run(**options: Any) -> None:
    """Serves until the process is told to end."""
    default_participant().run(**options)
