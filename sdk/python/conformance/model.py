"""The model that the conformance cases speak to; ../../conformance/README.md says what it does."""

import asyncio
import base64
import hashlib
import itertools
import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from turnpike_participant import Participant, ParticipantError, float32, weighted_mean  # noqa: E402
from turnpike_participant._secagg import random_source  # noqa: E402

options = json.loads(sys.argv[1])
datasets = options.pop("datasets", {})
only = options.pop("only", ["train", "evaluate", "aggregate"])
randomness = options.pop("randomness", None)
if randomness is not None:
    counter = itertools.count()
    random_source.draw = lambda size: hashlib.shake_256(f"{randomness}:{next(counter)}".encode()).digest(size)

released = threading.Event()
trainings = 0


class Item:
    """What numbers of numpy and torch look like."""

    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value


def describe(parameters, dataset, context):
    known = None if parameters is None else {"bytes": len(parameters), "sha256": hashlib.sha256(parameters).hexdigest()}
    about = {"parameters": known, "dataset": dataset, "run_id": context.run_id, "round": context.round}
    return json.dumps({**about, "config": context.config}, ensure_ascii=False, separators=(",", ":")).encode()


async def later(value):
    await asyncio.sleep(0)
    return value


def train(parameters, dataset, context):
    global trainings
    trainings += 1
    do = dataset.get("do") if isinstance(dataset, dict) else None
    if do == "echo":
        return parameters or b""
    if do == "async":
        return later(parameters)
    if do == "array":
        return bytearray(parameters)
    if do == "tensors":
        return {"w": float32([1, 2]), "ünit": float32([0.5], [1, 1])}
    if do == "rich":
        return {"parameters": parameters, "num_examples": 3, "metrics": {"loss": 0.25, "tiny": 1e-7}}
    if do == "become":
        return base64.b64decode(dataset["base64"])
    if do == "count":
        return str(trainings).encode()
    if do == "return":
        return dataset["value"]
    if do == "refuse":
        raise ParticipantError(dataset["message"], dataset["status"])
    if do == "throw":
        raise ValueError("the words of the error")
    if do == "wait":
        released.wait()
        return parameters
    return describe(parameters, dataset, context)


def evaluate(parameters, dataset):
    do = dataset.get("do") if isinstance(dataset, dict) else None
    if do == "return":
        return dataset["value"]
    if do == "number":
        return float(dataset["value"])
    if do == "item":
        return Item(dataset["value"])
    if do == "integer":
        return 7
    if do == "rich":
        return {"accuracy": 0.5, "loss": -1.5, "num_examples": 10, "metrics": {"f1": 1}}
    if do == "async":
        return later(0.75)
    if do == "release":
        released.set()
    if do == "throw":
        raise ValueError("the words of the error")
    return -1 if parameters is None else len(parameters)


def aggregate(parameters_list, context):
    if context.config.get("do") == "mean":
        return weighted_mean(parameters_list, context.weights, context.config.get("shape"))
    return b"|".join(parameters_list)


limits = options.get("limits", {})
if "idle_ms" in limits:
    limits["idle_seconds"] = limits.pop("idle_ms") / 1000

participant = Participant(**options, host="127.0.0.1", port=0, log=False)
for method, function in (("train", train), ("evaluate", evaluate), ("aggregate", aggregate)):
    if method in only:
        getattr(participant, f"register_{method}")(function)
for name, rows in datasets.items():
    participant.register_dataset(name, rows)
participant.run()
