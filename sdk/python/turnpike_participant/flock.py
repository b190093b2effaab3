"""Classes with the names and methods of the original SDK, so that its models need only another import."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ._call import METHODS
from .participant import Listener, Participant

#: Where a container of the original finds its data set.
_DATASET_PATH = "/dataset.json"


class FlockModel:
    """A model that loads its own data set. Its methods need no dataset from the caller."""

    def init_dataset(self, dataset_path: str) -> None:
        raise NotImplementedError("init_dataset must load the data set")

    def train(self, parameters: Optional[bytes]) -> Any:
        raise NotImplementedError("train must return parameters")

    def evaluate(self, parameters: Optional[bytes]) -> Any:
        raise NotImplementedError("evaluate must return an accuracy")

    def aggregate(self, parameters_list: Sequence[bytes]) -> Any:
        raise NotImplementedError("aggregate must return parameters")


class FlockSDK(Participant):
    """A participant with the methods of a model, or with functions that are registered like those of any participant.

    `debug` is accepted for programs that pass it, and has no effect. Other options are those of `Participant`.
    """

    def __init__(
        self, model: Any = None, *, debug: Any = None, dataset_path: str = _DATASET_PATH, **options: Any
    ) -> None:
        super().__init__(**options)
        self._model = model
        self._dataset_path = dataset_path
        self._has_dataset = False
        for method in METHODS:
            if callable(getattr(model, method, None)):
                self._register(method, getattr(model, method))

    def serve(self, **options: Any) -> Listener:
        """Loads the data set of the model once, and listens."""
        init_dataset = getattr(self._model, "init_dataset", None)
        if callable(init_dataset) and not self._has_dataset:
            init_dataset(self._dataset_path)
            self._has_dataset = True
        return super().serve(**options)
