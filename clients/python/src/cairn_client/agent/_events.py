"""What is read of a hook's event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

HookEvent: TypeAlias = Mapping[str, Any]
"""An event as the agent SDK gives it: `hook_event_name`, `session_id`, `cwd`, and what each kind adds."""


def text_of(value: object, name: str) -> str | None:
    """A text inside a value that may be anything."""
    part = value.get(name) if isinstance(value, Mapping) else None
    return part if isinstance(part, str) else None


def file_of(event: HookEvent) -> str | None:
    """The file that a tool is about, as the tool was told it."""
    given = event.get("tool_input")
    return text_of(given, "file_path") or text_of(given, "notebook_path")
