"""The data sets that lie at the participant itself. What comes over the wire names them; it never opens anything."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._failure import Failure, invalid

_DEFAULT = "default"


class Datasets:
    def __init__(self, rows_max: int) -> None:
        self._rows_max = rows_max
        self._sources: Dict[str, Any] = {}

    def register(self, name: str, source: Any) -> None:
        self._sources[name] = source

    @property
    def names(self) -> List[str]:
        return list(self._sources)

    @property
    def num_examples(self) -> Optional[int]:
        """How many examples lie here, where that is known without loading anything."""
        name = self._default_name()
        source = None if name is None else self._sources[name]
        return len(source) if isinstance(source, (list, tuple)) else None

    def resolve(self, present: bool, value: Any) -> Any:
        """What the function gets: rows as they came, or the data set that is meant."""
        if not present:
            name = self._default_name()
            if name is None:
                raise invalid("missing_field", "dataset is missing", "dataset")
            return self._load(name)
        named = self._name_in(value)
        if named is not None:
            return self._load(named)
        if isinstance(value, list) and len(value) > self._rows_max:
            raise Failure(413, "too_large", f"dataset has more than {self._rows_max} rows")
        return value

    def _name_in(self, value: Any) -> Optional[str]:
        # Where data sets are registered a string is a name; elsewhere it is only a value.
        if isinstance(value, str):
            return value if self._sources else None
        if not isinstance(value, dict) or "$ref" not in value:
            return None
        reference = value["$ref"]
        if not isinstance(reference, str) or not reference.startswith("local:") or reference == "local:":
            message = "only data sets of the participant itself can be named: local:<name>"
            raise invalid("unsupported_dataset", message, "dataset")
        return reference[len("local:") :]

    def _load(self, name: str) -> Any:
        if name not in self._sources:
            raise Failure(404, "unknown_dataset", "the participant has no data set of that name", "dataset")
        source = self._sources[name]
        return source() if callable(source) else source

    def _default_name(self) -> Optional[str]:
        if _DEFAULT in self._sources:
            return _DEFAULT
        return next(iter(self._sources)) if len(self._sources) == 1 else None
