"""A model of the original SDK, unchanged but for its import: methods without a data set, and opaque bytes."""

import json
import sys

from turnpike_participant import FlockModel, FlockSDK


class Model(FlockModel):
    def init_dataset(self, dataset_path):
        with open(dataset_path) as file:
            self.rows = json.load(file)

    def train(self, parameters):
        start = 0 if parameters is None else int(parameters)
        return str(start + sum(self.rows)).encode()

    def evaluate(self, parameters):
        return float(int(parameters))

    def aggregate(self, parameters_list):
        return str(sum(map(int, parameters_list)) // len(parameters_list)).encode()


print(FlockSDK(Model(), dataset_path=sys.argv[1], log=False).serve(port=0).url, flush=True)
sys.stdin.read()
