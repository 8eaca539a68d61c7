"""When the events of a session came, and where each left its agent."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cairn_client.agent._events import HookEvent

_MOST_TIMES = 100
"""Events that are remembered: more than tools that run at the same time."""

_LATEST = 2.0
"""Seconds that an event may take to get here: a busy machine tells late of what has ended."""


class Moment(NamedTuple):
    """A tool's event in the course of its session. Times are in seconds since 1970."""

    begun: float
    now: float
    folder: str
    """In which it began."""


class Timeline:
    """What is known of a session's course."""

    def __init__(self) -> None:
        self._times = deque([time.time()], _MOST_TIMES)
        # the folder in which the main agent's next command runs, and each subagent's
        self._folders: dict[str | None, str] = {}

    def passed(self, event: HookEvent) -> Moment:
        """An event came.

        A tool began after its agent's event before it: there the agent waits for what is answered.
        """
        now = time.time()
        agent = event.get("agent_id")
        folder = self._folders.get(agent, str(event["cwd"]))
        self._folders[agent] = str(event["cwd"])
        took = event.get("duration_ms")
        seconds = took / 1000 if isinstance(took, int | float) else None
        begun = now if seconds is None else now - seconds
        before = next((at for at in reversed(self._times) if at <= begun), 0.0)
        self._times.append(now)
        return Moment(before if seconds is None else max(before, begun - _LATEST), now, folder)
