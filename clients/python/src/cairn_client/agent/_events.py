"""What is read of a hook's event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

HookEvent: TypeAlias = Mapping[str, Any]
"""An event as the agent SDK gives it: `hook_event_name`, `session_id`, `cwd`, and what each kind adds.

That of a command has the folder that it left behind as its `cwd`.
"""

_STOPPED = frozenset(("124", "126", "127", "130", "137", "143"))
"""Exit codes of what was not found, may not be run, or was stopped from outside: they say nothing of the program."""


def text_of(value: object, name: str) -> str | None:
    """A text inside a value that may be anything."""
    part = _part_of(value, name)
    return part if isinstance(part, str) else None


def _part_of(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def file_of(event: HookEvent) -> str | None:
    """The file that a tool is about, as the tool was told it."""
    given = event.get("tool_input")
    return text_of(given, "file_path") or text_of(given, "notebook_path")


def command_of(event: HookEvent) -> str | None:
    """The command that a tool was told to run."""
    return text_of(event.get("tool_input"), "command") if event.get("tool_name") == "Bash" else None


def goes_on(event: HookEvent) -> bool:
    """Whether a tool goes on when its event says that it has ended."""
    background = _part_of(event.get("tool_input"), "run_in_background") is True
    return background or text_of(event.get("tool_response"), "backgroundTaskId") is not None


def end_of(event: HookEvent, succeeded: bool) -> Literal["worked", "failed", "unknown"]:
    """How a command ended, where that says something of what it ran."""
    interrupted = event.get("is_interrupt") is True or _part_of(event.get("tool_response"), "interrupted") is True
    if interrupted or goes_on(event):
        return "unknown"
    if succeeded:
        return "worked"
    code = re.match(r"Exit code (\d+)", str(event.get("error", "")))
    return "unknown" if code is None or code[1] in _STOPPED else "failed"


def is_asked(event: HookEvent) -> bool:
    """Whether a prompt is a person's or a program's, and not the machine's own, such as that a task has ended."""
    own = str(event.get("prompt", "")).lstrip().startswith("<task-notification>")
    return event.get("source") in (None, "user", "sdk") and not own
