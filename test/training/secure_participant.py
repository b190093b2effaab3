"""A participant of the smallest kind: training halves the way to its own numbers, or makes the change that it is told.

In the round that it is told, it dies instead.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sdk/python"))

from turnpike_participant import Participant, float32, read_safetensors  # noqa: E402

options = json.loads(sys.argv[1])


def train(parameters, rows, context):
    if context.round == options.get("dies_in"):
        os._exit(1)
    data = memoryview(bytearray(read_safetensors(parameters)["w"].data)).cast("f")
    if "change" in options:
        moved = [value + change for value, change in zip(data, options["change"])]
    else:
        moved = [value + 0.5 * (own - value) for value, own in zip(data, options["own"])]
    return {"parameters": {"w": float32(moved)}, "num_examples": options["examples"]}


participant = Participant(host="127.0.0.1", port=0, log=False, partial=True, secure_only=True, group_secret=options.get("group_secret"))
participant.register_train(train)
participant.register_dataset("default", [])
participant.run()
