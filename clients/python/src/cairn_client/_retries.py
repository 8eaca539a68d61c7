"""When a request is sent again, and how long it waits before that."""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
LONGEST_RETRY_AFTER = 60.0
"""Seconds that a call waits for a `Retry-After`; when it asks for more, the caller is told at once."""
SHORT_WAIT = 10.0
"""Seconds: of a longer wait the log has a warning."""


@dataclass(frozen=True, slots=True)
class Chance:
    """What retries need from outside: a number from 0 to 1, and the seconds since the epoch."""

    random: Callable[[], float] = random.random
    now: Callable[[], float] = time.time


def is_transient(response: httpx2.Response, code: str | None = None) -> bool:
    """Whether the same request may succeed a little later: as `x-should-retry` says, else by the status.

    A conflict that the service names (`code`) is decided; another may be of two requests at the same moment. A disk
    that is full (507) is for a person to mend, and stays so for longer than a call waits.
    """
    asked = response.headers.get("x-should-retry")
    if asked in ("true", "false"):
        return asked == "true"
    status = response.status_code
    if status == 409:
        return code is None or not code.startswith("conflict/")
    return status in (408, 429) or (status >= 500 and status != 507)


def may_pass(failure: httpx2.RequestError) -> bool:
    """Whether a request that got no answer may get one next time."""
    lasting = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)
    return isinstance(failure, httpx2.TransportError) and not isinstance(failure, lasting)


def backoff(attempt: int, chance: Chance) -> float:
    """Seconds before the next attempt: half a second, doubled each time up to eight, less up to a quarter by chance."""
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(attempt, 16))
    return wait * (1 - 0.25 * chance.random())


def retry_after(headers: httpx2.Headers, now: float) -> float | None:
    """The seconds that `Retry-After` names, as a number or as a date; `None` without one that can be read."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,15}(\.\d{1,15})?", value, re.ASCII):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def wait_after(response: httpx2.Response, attempt: int, chance: Chance, code: str | None = None) -> float | None:
    """Seconds before the next attempt, or `None` when there should be none."""
    if not is_transient(response, code):
        return None
    asked = retry_after(response.headers, chance.now())
    if not asked:
        return backoff(attempt, chance)  # 0 or a past date: at once, a hundred times a second, helps nobody
    return asked if asked <= LONGEST_RETRY_AFTER else None
