"""Takes part in training over HTTP with the functions that were registered."""

from __future__ import annotations

import datetime
import re
import signal
import threading
import time
import traceback
import uuid
from typing import Any, Callable, Dict, List, Optional, TypeVar

from ._answers import Answer, answer_failure, answer_json, answer_result
from ._body import form_of, read_fields
from ._call import METHODS, Call, read_call
from ._datasets import Datasets
from ._failure import Failure, invalid
from ._guards import check_host, check_origin, check_token
from ._negotiate import wants_binary
from ._perform import Setting, perform
from ._results import Result
from ._rounds import Rounds
from ._secagg.change import change_of
from ._secagg.rounds import Mask, SecureRounds
from ._server import Request, Server, address_of, listen
from ._settings import check_exposure, read_settings, write_line
from .pack import Packing
from ._turns import Turns
from ._version import VERSION

Function = TypeVar("Function", bound=Callable[..., Any])

_READ_PATHS = ("health", "info")
#: The update of a secure round: trained as by /train, and given away masked.
_MASKED = "secagg/masked"
_AGREE_PATHS = ("secagg/keys", "secagg/shares", "secagg/unmask")
_PATHS = METHODS + ("call", _MASKED) + _AGREE_PATHS + _READ_PATHS
_SHAPES = {
    "train": {"parameters": "base64"},
    "evaluate": {"parameters": "base64"},
    "aggregate": {"parameters_list": "list"},
    "call": {"parameters": "base64", "parameters_list": "list"},
    _MASKED: {"parameters": "base64"},
}
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


class Listener:
    """A participant that listens; `stop` ends what runs and refuses what comes."""

    def __init__(self, url: str, stop: Callable[[], None]) -> None:
        self.url = url
        self.stop = stop


class Participant:
    def __init__(self, **options: Any) -> None:
        self._settings = read_settings(options)
        limits = self._settings.limits
        self._functions: Dict[str, Callable[..., Any]] = {}
        self._datasets = Datasets(limits.rows_max)
        self._trainings = Turns(1, limits.queue_max)
        self._others = Turns(limits.parallel_max, 0)
        self._rounds = Rounds()
        self._packing = Packing()
        self._secure = SecureRounds(group_secret=lambda: self._settings.group_secret)
        self._listening = False
        self._draining = False
        self._open = 0
        self._idle = threading.Condition()

    @classmethod
    def from_model(cls, model: Any, **options: Any) -> "Participant":
        """One with the methods of an object."""
        participant = cls(**options)
        for method in METHODS:
            if callable(getattr(model, method, None)):
                participant._register(method, getattr(model, method))
        return participant

    def register_train(self, func: Function) -> Function:
        """`func(parameters, dataset)` gives parameters; it gets None where training starts from nothing."""
        return self._register("train", func)

    def register_evaluate(self, func: Function) -> Function:
        """`func(parameters, dataset)` gives a number, the larger the better."""
        return self._register("evaluate", func)

    def register_aggregate(self, func: Function) -> Function:
        """`func(parameters_list)` gives parameters."""
        return self._register("aggregate", func)

    def register_dataset(self, name: str, source: Any) -> None:
        """Rows that lie here and are named by callers; a function is called each time they are needed."""
        if self._listening:
            raise RuntimeError("data sets are registered before run()")
        self._datasets.register(name, source)

    def run(self, **options: Any) -> None:
        """Serves until the process is told to end."""
        listener = self.serve(**options)
        print(f"{self._settings.name} listens on {listener.url}", flush=True)
        told = threading.Event()
        previous = {each: signal.signal(each, lambda *_: told.set()) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            # Waiting in steps lets signals in on every system.
            while not told.wait(0.1):
                pass
        finally:
            for each, handler in previous.items():
                signal.signal(each, handler)
            listener.stop()

    def serve(self, **options: Any) -> Listener:
        """Begins to listen, in a thread of its own, and gives the address."""
        self._settings = read_settings(options, self._settings)
        self._check_registered()
        check_exposure(self._settings)
        server = listen(self.handle, self._settings)
        self._listening = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return Listener(address_of(server, self._settings), lambda: self._stop(server))

    def _stop(self, server: Server) -> None:
        self._draining = True
        with self._idle:
            self._idle.wait_for(lambda: self._open == 0)
        server.shutdown()
        server.server_close()
        self._listening = False
        self._draining = False

    def _register(self, method: str, func: Function) -> Function:
        if self._listening:
            raise RuntimeError("functions are registered before run()")
        if not callable(func):
            raise TypeError(f"what is registered for {method} must be a function")
        self._functions[method] = func
        return func

    def _check_registered(self) -> None:
        missing = [method for method in METHODS if method not in self._functions]
        if not missing or (self._settings.partial and len(missing) < len(METHODS)):
            return
        raise RuntimeError(f"no function is registered for {', '.join(missing)}; run(partial=True) serves the others")

    def handle(self, request: Request) -> Answer:
        """One request, without a socket."""
        with self._idle:
            self._open += 1
        try:
            return self._answer(request)
        finally:
            with self._idle:
                self._open -= 1
                self._idle.notify_all()

    def _answer(self, request: Request) -> Answer:
        arrived_at = time.monotonic()
        given = request.headers.get("x-request-id") or ""
        request_id = given if _REQUEST_ID.fullmatch(given) else str(uuid.uuid4())
        origin: Optional[str] = None
        failure: Optional[Failure] = None
        try:
            check_host(request.headers, self._settings.host)
            origin = check_origin(request.headers, self._settings.origins)
            answer = self._route(request, request_id, arrived_at)
        except Exception as thrown:
            failure = thrown if isinstance(thrown, Failure) else _unexpected(thrown)
            answer = answer_failure(failure, request_id)
        answer.headers["x-request-id"] = request_id
        if origin is not None:
            _allow_origin(answer.headers, origin, request.method)
        self._log_call(request, answer.status, request_id, arrived_at, failure)
        return answer

    def _route(self, request: Request, request_id: str, arrived_at: float) -> Answer:
        path = request.path[1:] if request.path.startswith("/") else request.path
        if len(path) > 1 and path.endswith("/"):
            path = path[:-1]
        if path not in _PATHS:
            raise Failure(404, "unknown_path", "there is nothing at this path")
        allowed = ["GET", "HEAD", "OPTIONS"] if path in _READ_PATHS else ["POST", "OPTIONS"]
        allow = {"allow": ", ".join(allowed)}
        if request.method == "OPTIONS":
            return Answer(204, allow, lambda: [], 0)
        if request.method not in allowed:
            raise Failure(405, "method", f"this path takes {allowed[0]} only", headers=allow)
        if path == "health":
            return answer_json({"status": "ok"})
        check_token(request.headers, self._settings.tokens)
        if path == "info":
            return answer_json(self._describe())
        if self._draining:
            raise Failure(503, "draining", "the participant is about to end", headers={"retry-after": "1"})
        mixed = path in ("aggregate", "call") or path.startswith("secagg/")
        if mixed and form_of(request.headers) == "binary":
            raise Failure(415, "content_type", f"/{path} takes JSON or multipart/form-data")
        return self._agree(path, request) if path in _AGREE_PATHS else self._carry_out(path, request, request_id, arrived_at)

    def _agree(self, path: str, request: Request) -> Answer:
        """The steps of a secure round that carry no model."""
        self._check_function("train")
        wants_binary(request.headers.get("accept"), False)
        fields = read_fields(request.headers, request.pieces, request.length, {}, self._settings.limits)
        if path == "secagg/keys":
            return answer_json(self._secure.keys(fields))
        return answer_json(self._secure.shares(fields) if path == "secagg/shares" else self._secure.unmask(fields))

    def _carry_out(self, path: str, request: Request, request_id: str, arrived_at: float) -> Answer:
        method = "train" if path == _MASKED else path
        if method != "call":
            self._check_function(method)
        binary = wants_binary(request.headers.get("accept"), path != "evaluate")
        # What /call means is known only from its body, so it stands in the line of the trainings.
        turn = (self._trainings if method in ("train", "call") else self._others).enter()
        performing = False
        try:
            limits = self._settings.limits
            fields = read_fields(request.headers, request.pieces, request.length, _SHAPES[path], limits)
            mask = self._secure.receive(fields) if path == _MASKED else None
            call = read_call(method, fields)
            del fields
            self._check_function(call.method)
            if mask is None:
                self._check_plain(call)
            else:
                _check_base(call)
            turn.ready()
            performing = True
            setting = Setting(
                functions=self._functions,
                datasets=self._datasets,
                rounds=self._rounds,
                turn=turn,
                request_id=request_id,
                is_gone=request.is_gone,
                arrived_at=arrived_at,
                expose_errors=self._settings.expose_errors,
                packing=self._packing if mask is None else None,
            )
            result = perform(call, setting)
            return answer_result(result if mask is None else _masked(mask, call, result), binary)
        finally:
            if not performing:
                turn.leave()

    def _check_function(self, method: str) -> None:
        if method not in self._functions:
            raise Failure(404, "not_registered", f"no function is registered for {method}")

    def _check_plain(self, call: Call) -> None:
        """An update of a secure run is never given away as it is, and none at all where only secure runs are wanted."""
        if call.method == "train" and (self._settings.secure_only or self._secure.knows(call.run_id)):
            raise Failure(403, "secure_only", "updates are given away by secure aggregation only")

    def _describe(self) -> Dict[str, Any]:
        limits = self._settings.limits
        num_examples = self._datasets.num_examples
        methods: List[str] = [method for method in METHODS if method in self._functions]
        return {
            "name": self._settings.name,
            "sdk": {"language": "python", "version": VERSION},
            "methods": methods,
            "formats": ["safetensors", "npy", "npz"],
            **({} if self._settings.shape is None else {"shape": list(self._settings.shape)}),
            "packs": ["f16", "int8", "top_k"],
            "media_types": ["application/json", "application/octet-stream", "multipart/form-data"],
            "encodings": ["gzip"],
            "datasets": self._datasets.names,
            "secure_aggregation": {
                "version": 1,
                "only": self._settings.secure_only,
                "group_secret": self._settings.group_secret is not None,
            },
            **({} if num_examples is None else {"num_examples": num_examples}),
            "limits": {
                "json_bytes": limits.json_bytes_max,
                "binary_bytes": limits.binary_bytes_max,
                "field_bytes": limits.field_bytes_max,
                "rows": limits.rows_max,
                "list_entries": limits.list_entries_max,
                "queue": limits.queue_max,
                "parallel": limits.parallel_max,
            },
            "running": self._trainings.running,
            "queued": self._trainings.queued,
        }

    def _log_call(
        self, request: Request, status: int, request_id: str, arrived_at: float, failure: Optional[Failure]
    ) -> None:
        line: Dict[str, Any] = {
            "time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "level": "error" if status >= 500 else "info",
            "message": "call",
            "method": request.method,
            "path": request.path,
            "status": status,
            "ms": round((time.monotonic() - arrived_at) * 1000),
            "request_id": request_id,
        }
        if failure is not None:
            line["reason"] = failure.reason
        cause = failure.cause if failure is not None else None
        if cause is not None:
            line["exception"] = "".join(traceback.format_exception(type(cause), cause, cause.__traceback__))
        (self._settings.log or write_line)(line)


def _check_base(call: Call) -> None:
    if call.parameters is None:
        message = "a change is summed: there must be parameters to change"
        raise invalid("missing_field", message, "parameters")


def _masked(mask: Mask, call: Call, result: Result) -> Result:
    change = change_of(call.parameters or b"", result.parameters or b"")
    return Result(mask(change, int(result.numbers.get("num_examples", 1))))


def _unexpected(thrown: Exception) -> Failure:
    failure = Failure(500, "handler_failed", "the participant failed")
    failure.cause = thrown
    return failure


def _allow_origin(headers: Dict[str, str], origin: str, method: str) -> None:
    headers["access-control-allow-origin"] = origin
    headers["vary"] = "Origin"
    if method == "OPTIONS":
        headers["access-control-allow-methods"] = "GET, POST, OPTIONS"
        headers["access-control-allow-headers"] = "Authorization, Content-Type, Content-Digest, X-Turnpike-Dataset"
