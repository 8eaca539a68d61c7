"""How a task is told together with the conversation that led to it."""

from __future__ import annotations

#: Between the task and what was said before, which is no part of what is searched for.
SAID_BEFORE = "\n\nThe conversation so far:\n\n"
