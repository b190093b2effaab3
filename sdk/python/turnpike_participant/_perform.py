"""Waits for the turn, runs the function, checks what it gave."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Mapping, Optional

from ._call import Call
from ._datasets import Datasets
from ._failure import Failure, ParticipantError
from ._results import Result, read_result
from ._rounds import Rounds
from ._turns import Turn
from .pack import Packing
from .tensors import FormatError

_LOOK_SECONDS = 0.2


class Context:
    """What a run says about itself. Everything is optional on the wire."""

    def __init__(self, call: Call, request_id: str) -> None:
        self.run_id: Optional[str] = call.run_id
        self.round: Optional[int] = call.round
        #: What the coordinator wishes: learning rate, epochs, proximal term, seed.
        self.config: Dict[str, Any] = call.config
        #: How much each entry of the list counts; of /aggregate only.
        self.weights: Optional[List[float]] = call.weights
        self.request_id = request_id
        self._cancelled = threading.Event()

    @property
    def cancelled(self) -> bool:
        """True when the caller has gone or the deadline has passed."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        self._cancelled.set()


@dataclass(frozen=True)
class Setting:
    functions: Mapping[str, Callable[..., Any]]
    datasets: Datasets
    rounds: Rounds
    turn: Turn
    request_id: str
    is_gone: Callable[[], bool]
    arrived_at: float
    expose_errors: bool
    #: None where the update is not sent as it is.
    packing: Optional[Packing]


def perform(call: Call, setting: Setting) -> Result:
    """The turn ends when the function has really ended, also when nobody waits for it any more."""
    running = False
    try:
        context = Context(call, setting.request_id)
        _wait(setting.turn.started, call, setting, context)
        known = setting.rounds.find(call)
        if known is not None:
            return known
        running = True
        work = _Work(call, setting, context)
        _wait(work.ended, call, setting, context)
        return work.result()
    except Exception as thrown:
        raise _as_failure(thrown, setting.expose_errors) from thrown
    finally:
        if not running:
            setting.turn.leave()


class _Work:
    """The function in a thread of its own, so that a deadline can be kept without it."""

    def __init__(self, call: Call, setting: Setting, context: Context) -> None:
        self.ended = threading.Event()
        self._result: Optional[Result] = None
        self._error: Optional[BaseException] = None
        threading.Thread(target=self._run, args=(call, setting, context), daemon=True).start()

    def result(self) -> Result:
        if self._error is not None:
            raise self._error
        if self._result is None:
            raise RuntimeError("the function has not ended")
        return self._result

    def _run(self, call: Call, setting: Setting, context: Context) -> None:
        try:
            self._result = _run_function(call, setting, context)
            # Before the turn ends: the same question may be the next in line. What comes of a function that was told to stop
            # is nobody's answer.
            if not context.cancelled:
                setting.rounds.keep(call, self._result)
        except Exception as error:
            self._error = error
        except BaseException as error:
            # A function that calls sys.exit() ends itself, not the participant.
            self._error = RuntimeError(f"the function ended with {error!r}")
        finally:
            setting.turn.leave()
            self.ended.set()


def _run_function(call: Call, setting: Setting, context: Context) -> Result:
    function = setting.functions[call.method]
    if call.method == "aggregate":
        arguments: List[Any] = [call.parameters_list]
    else:
        arguments = [call.parameters]
        # A model that loads its own data takes no data set, and its callers need not name one.
        if _accepts(function, 2):
            arguments.append(setting.datasets.resolve(call.has_dataset, call.dataset))
    if _takes(function, len(arguments) + 1):
        arguments.append(context)
    returned = function(*arguments)
    if inspect.isawaitable(returned):
        returned = asyncio.run(_awaited(returned))
    result = read_result(call.method, returned)
    if call.method != "train" or setting.packing is None or result.parameters is None:
        return result
    wish = call.config.get("pack")
    packed = setting.packing.pack(call.run_id, call.round, wish, call.parameters, result.parameters)
    return replace(result, parameters=packed)


async def _awaited(value: Any) -> Any:
    return await value


def _accepts(function: Callable[..., Any], count: int) -> bool:
    """Whether a function can be called with that many arguments."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return _takes(function, count)
    except ValueError:
        return True
    return True


def _takes(function: Callable[..., Any], count: int) -> bool:
    """A function that declares one argument more gets the context; one with a default there keeps its default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [each for each in parameters if each.kind in kinds and each.default is inspect.Parameter.empty]
    return len(needed) >= count


def _wait(event: threading.Event, call: Call, setting: Setting, context: Context) -> None:
    end = None if call.deadline_ms is None else setting.arrived_at + call.deadline_ms / 1000
    while True:
        left = _LOOK_SECONDS if end is None else min(_LOOK_SECONDS, max(0.0, end - time.monotonic()))
        if event.wait(left):
            return
        if end is not None and time.monotonic() >= end:
            context.cancel()
            raise Failure(504, "deadline", f"the deadline of {call.deadline_ms} ms has passed")
        if setting.is_gone():
            context.cancel()
            raise Failure(499, "gone", "the caller has gone")


def _as_failure(thrown: Exception, expose: bool) -> Failure:
    if isinstance(thrown, Failure):
        return thrown
    if isinstance(thrown, ParticipantError):
        return Failure(thrown.status, "participant_error", thrown.message)
    if isinstance(thrown, FormatError):
        return Failure(400, thrown.reason, thrown.message)
    failure = Failure(500, "handler_failed", str(thrown) if expose else "the participant's function failed")
    failure.cause = thrown
    return failure
