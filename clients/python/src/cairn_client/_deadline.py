"""When calls have to be over."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ends: ContextVar[float] = ContextVar("cairn_client_deadline", default=math.inf)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Calls in this block, and in threads that it starts by anyio, do not wait for a next attempt beyond that.

    It ends none: that is for whoever waits for them.
    """
    token = _ends.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends.reset(token)


def time_left() -> float:
    """Seconds that a call has left; without a deadline, without end."""
    return _ends.get() - time.monotonic()
