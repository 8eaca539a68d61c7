"""What the tools of a session printed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cairn_client.agent._events import file_of, text_of

if TYPE_CHECKING:
    from cairn_client.agent._events import HookEvent

_MOST_OF_ONE = 4_000
_MOST_OF_ALL = 32_000
"""Characters: of the ends, where results and errors are."""

_QUIET = frozenset(
    (
        "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "TodoWrite",
    )
)  # fmt: skip
"""Tools whose output is a file's content: that a file was read says enough."""


def _tail(text: str, most: int) -> str:
    return text if len(text) <= most else f"…{text[1 - most :]}"


def _output(response: object) -> str:
    if response is None or isinstance(response, str):
        return response or ""
    streams = [text_of(response, "stdout"), text_of(response, "stderr")]
    if streams[0] is not None or streams[1]:
        return "\n".join(stream for stream in streams if stream)
    return json.dumps(response, ensure_ascii=False, default=str)


class ExecutionLog:
    """The end of what was printed since the last success."""

    def __init__(self) -> None:
        self._entries: list[str] = []
        self._length = 0

    def add(self, event: HookEvent, succeeded: bool) -> None:
        """A tool was used."""
        name = str(event.get("tool_name", "tool"))
        command = text_of(event.get("tool_input"), "command")
        head = f"[{name}] {file_of(event) or ''}".strip() if command is None else f"$ {_tail(command, _MOST_OF_ONE)}"
        if not succeeded:
            output = f"failed: {event.get('error', '')}"
        else:
            output = "" if name in _QUIET else _output(event.get("tool_response"))
        entry = "\n".join(text for text in (head, _tail(output, _MOST_OF_ONE)) if text)
        self._entries.append(entry)
        self._length += len(entry) + 1
        while self._length > _MOST_OF_ALL and len(self._entries) > 1:
            self._length -= len(self._entries.pop(0)) + 1

    @property
    def text(self) -> str:
        """At most 32,000 characters."""
        return "\n".join(self._entries)

    def clear(self) -> None:
        """Forgets all of it."""
        self._entries.clear()
        self._length = 0
