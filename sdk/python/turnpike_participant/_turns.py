"""One at a time, first ready first served, and only so many who wait."""

from __future__ import annotations

import threading
from collections import deque
from typing import Deque

from ._failure import Failure


class Turn:
    def __init__(self, turns: "Turns") -> None:
        self._turns = turns
        self.started = threading.Event()
        self._ready = False
        self._left = False

    def ready(self) -> None:
        """Its body is here: it stands in line from now on."""
        with self._turns.lock:
            if not self._ready and not self._left:
                self._ready = True
                self._turns.line_up(self)

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
        self._started = 0
        self._waiting: Deque[Turn] = deque()
        self.lock = threading.Lock()

    @property
    def running(self) -> int:
        return self._started

    @property
    def queued(self) -> int:
        return self._present - self._started

    def enter(self) -> Turn:
        """Takes a place, so that bodies are few. It is not a turn yet: a slow body must not hold up those that are here."""
        with self.lock:
            if self._present >= self._at_once + self._queue_max:
                message = "the participant is busy; try again later"
                raise Failure(503, "busy", message, headers={"retry-after": "1"})
            self._present += 1
            return Turn(self)

    def line_up(self, turn: Turn) -> None:
        self._waiting.append(turn)
        self._start_next()

    def left(self, turn: Turn) -> None:
        self._present -= 1
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif turn.started.is_set():
            self._started -= 1
        self._start_next()

    def _start_next(self) -> None:
        if self._waiting and self._started < self._at_once:
            self._started += 1
            self._waiting.popleft().started.set()
