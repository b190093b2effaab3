# A participant of federated training, written from the contract alone: three paths, JSON, base64.
import base64
import sys
from array import array

from flask import Flask, request

app, goal = Flask(__name__), float(sys.argv[1])
numbers = lambda text: array("f", base64.b64decode(text))
reply = lambda values: {"parameters": base64.b64encode(array("f", values).tobytes()).decode()}

@app.post("/train")
def train():
    return reply(value + (goal - value) / 2 for value in numbers(request.get_json()["parameters"]))

@app.post("/evaluate")
def evaluate():
    return {"accuracy": numbers(request.get_json()["parameters"])[0]}

@app.post("/aggregate")
def aggregate():
    updates = [numbers(text) for text in request.get_json()["parameters_list"]]
    return reply(sum(column) / len(updates) for column in zip(*updates))

app.run(port=0)
