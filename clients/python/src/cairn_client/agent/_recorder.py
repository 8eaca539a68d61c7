"""Records calls of functions, in a thread of its own: no call waits for its record."""

from __future__ import annotations

import atexit
import logging
import os
import queue
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx2

from cairn_client._deadline import within
from cairn_client._logs import NAME
from cairn_client._pools import Pools
from cairn_client._request import Request
from cairn_client._settings import Overrides
from cairn_client._sync.transport import Transport

if TYPE_CHECKING:
    from cairn_client import AsyncCairn, Cairn

_MOST_WAITING = 1_000
"""Of more calls at once nothing is recorded, rather than that the program grows."""

_SECONDS = 5.0
"""For each record. A program that ends waits no longer than that for the next one to come through."""

_SECONDS_AT_EXIT = 60.0
"""For all that are left when the program ends."""


class Recorder:
    """Sends records over connections of its own, or over an `httpx2.Client` that the client was given."""

    def __init__(self, client: Cairn | AsyncCairn) -> None:
        theirs = client._transport  # noqa: SLF001 # the same library
        given = theirs.pools.given
        pools = Pools(given if isinstance(given, httpx2.Client) else None)
        self._transport = Transport(theirs.settings.with_(Overrides(timeout=_SECONDS, max_retries=1)), pools)

    def soon(self, body: dict[str, Any]) -> None:
        """Sends a record, sooner or later. Nobody hears of its failure."""
        _line().put(self, body)

    def send(self, body: dict[str, Any]) -> None:
        """Sends a record now."""
        # both of its attempts, and no longer than that
        with within(2 * _SECONDS):
            self._transport.send(Request("POST", "/api/store/execution", body))


class _Line:
    """Records that wait, and the thread that sends them: one of each process."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._waiting: queue.Queue[tuple[Recorder, dict[str, Any]]] = queue.Queue(_MOST_WAITING)
        self._came_through = time.monotonic()
        self._ending = False
        self._refused = 0
        threading.Thread(target=self._run, name="cairn-records", daemon=True).start()

    def put(self, recorder: Recorder, body: dict[str, Any]) -> None:
        with suppress(queue.Full):
            self._waiting.put_nowait((recorder, body))

    def _run(self) -> None:
        while True:
            recorder, body = self._waiting.get()
            try:
                recorder.send(body)
                self._came_through = time.monotonic()
            except Exception:  # noqa: BLE001 # whatever it is, no call fails by its record
                self._refused += self._ending
            self._waiting.task_done()

    def left(self, seconds: float, silence: float) -> int:
        """Waits until all are sent: at most so long, and for `silence` at most in which none came through.

        Returns how many are left.
        """
        began = time.monotonic()
        with self._waiting.all_tasks_done:
            while self._waiting.unfinished_tasks:
                now = time.monotonic()
                ends = min(began + seconds, max(began, self._came_through) + silence)
                if ends <= now:
                    break
                # as long as more wait nobody tells of one that came through
                self._waiting.all_tasks_done.wait(min(ends - now, silence / 10))
            return self._waiting.unfinished_tasks

    def lost(self) -> int:
        """Waits as a program that ends does. Returns how many records were not sent meanwhile."""
        self._ending = True
        return self.left(_SECONDS_AT_EXIT, _SECONDS) + self._refused


_current: _Line | None = None
_making = threading.Lock()


def _line() -> _Line:
    global _current
    with _making:
        # after a fork there is no thread
        if _current is None or _current.process != os.getpid():
            _current = _Line()
        return _current


def _of_this_process() -> _Line | None:
    line = _current
    return None if line is None or line.process != os.getpid() else line


@atexit.register
def _at_exit() -> None:
    line = _of_this_process()
    lost = 0 if line is None else line.lost()
    if lost:
        logging.getLogger(NAME).warning("The program ends before the records of %d calls were sent", lost)


def flush(seconds: float = _SECONDS) -> bool:
    """Waits until all calls are recorded, at most so long. Returns whether they are."""
    line = _of_this_process()
    return line is None or line.left(seconds, seconds) == 0
