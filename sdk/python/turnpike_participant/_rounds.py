"""The last training that was asked for by run and round: a repeated question gets the same answer without training again."""

from __future__ import annotations

import hashlib
from typing import Optional, Tuple

from ._call import Call
from ._failure import Failure
from ._results import Result


class Rounds:
    def __init__(self) -> None:
        self._last: Optional[Tuple[str, int, str, Result]] = None

    def find(self, call: Call) -> Optional[Result]:
        """The answer that was given before. A new question forgets the old answer first: only one is in memory."""
        if call.method != "train" or call.run_id is None or call.round is None:
            return None
        if self._last is not None and self._last[:2] == (call.run_id, call.round):
            if self._last[2] == _digest_of(call.parameters):
                return self._last[3]
            raise Failure(409, "round_conflict", "this round of the run was asked for before with other parameters")
        self._last = None
        return None

    def keep(self, call: Call, result: Result) -> None:
        if call.method == "train" and call.run_id is not None and call.round is not None:
            self._last = (call.run_id, call.round, _digest_of(call.parameters), result)


def _digest_of(parameters: Optional[bytes]) -> str:
    return "none" if parameters is None else hashlib.sha256(parameters).hexdigest()
