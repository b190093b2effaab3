"""One participant of the digits example, with numpy: `python participant.py '{"rows": [...], "test": [...], "attack": null}'`."""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sdk" / "python"))

from turnpike_participant import Participant, ParticipantError, read_safetensors, to_numpy, write_safetensors  # noqa: E402

options = json.loads(sys.argv[1])
digits = np.fromfile(Path(__file__).with_name("digits.u8"), dtype="u1").reshape(-1, 65)


def rows_of(places):
    chosen = digits[places]
    return chosen[:, :64].astype("f4") / 16, chosen[:, 64].astype(int)


datasets = {"train": rows_of(options["rows"]), "test": rows_of(options["test"])}


def forward(model, pixels):
    hidden = np.maximum(pixels @ model["w1"].T + model["b1"], 0)
    return hidden, hidden @ model["w2"].T + model["b2"]


def step(model, pixels, labels, rate):
    hidden, scores = forward(model, pixels)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    error = powers / powers.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = (error @ model["w2"]) * (hidden > 0)
    for name, gradient in (("w2", error.T @ hidden), ("b2", error.sum(0)), ("w1", back.T @ pixels), ("b1", back.sum(0))):
        model[name] = (model[name] - rate * gradient).astype("f4")


def train(parameters, dataset, context):
    if parameters is None:
        # The starting model comes from whoever can make it; all have to start from the same one.
        raise ParticipantError("this participant needs a model to start from", 409)
    model = {name: to_numpy(tensor).copy() for name, tensor in read_safetensors(parameters).items()}
    before = {name: values.copy() for name, values in model.items()}
    words = f"{context.run_id} {context.round} {options['name']}".encode()
    random = np.random.default_rng(int.from_bytes(hashlib.sha256(words).digest()[:8], "little"))
    pixels, labels = dataset
    for _ in range(int(context.config.get("epochs", 1))):
        order = random.permutation(len(labels))
        for at in range(0, len(order), 10):
            batch = order[at : at + 10]
            step(model, pixels[batch], labels[batch], float(context.config.get("lr", 0.1)))
    if options.get("attack") == "sign_flip":
        model = {name: (before[name] - 4 * (values - before[name])).astype("f4") for name, values in model.items()}
    return {"parameters": write_safetensors(model), "num_examples": len(labels)}


def evaluate(parameters, dataset):
    model = {name: to_numpy(tensor) for name, tensor in read_safetensors(parameters).items()}
    pixels, labels = dataset
    return {"accuracy": float((forward(model, pixels)[1].argmax(1) == labels).mean()), "num_examples": len(labels)}


participant = Participant(name=options["name"], host="127.0.0.1", port=0, log=False, partial=True)
participant.register_train(train)
participant.register_evaluate(evaluate)
for name, rows in datasets.items():
    participant.register_dataset(name, rows)
participant.run()
