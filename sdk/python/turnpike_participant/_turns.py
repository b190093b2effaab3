"""One at a time, first come first served, and only so many who wait."""

from __future__ import annotations

import threading
from collections import deque
from typing import Deque

from ._failure import Failure


class Turn:
    def __init__(self, turns: "Turns") -> None:
        self._turns = turns
        self.started = threading.Event()
        self._left = False

    def leave(self) -> None:
        with self._turns.lock:
            if not self._left:
                self._left = True
                self._turns.left(self)


class Turns:
    def __init__(self, at_once: int, queue_max: int) -> None:
        self._at_once = at_once
        self._queue_max = queue_max
        self._present = 0
        self._waiting: Deque[Turn] = deque()
        self.lock = threading.Lock()

    @property
    def running(self) -> int:
        return min(self._present, self._at_once)

    @property
    def queued(self) -> int:
        return self._present - self.running

    def enter(self) -> Turn:
        """Takes a place, in the queue at least. It is taken before the body is read, so that waiting bodies are few."""
        with self.lock:
            if self._present >= self._at_once + self._queue_max:
                message = "the participant is busy; try again later"
                raise Failure(503, "busy", message, headers={"retry-after": "1"})
            self._present += 1
            turn = Turn(self)
            if self._present <= self._at_once:
                turn.started.set()
            else:
                self._waiting.append(turn)
            return turn

    def left(self, turn: Turn) -> None:
        self._present -= 1
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif self._waiting:
            self._waiting.popleft().started.set()
