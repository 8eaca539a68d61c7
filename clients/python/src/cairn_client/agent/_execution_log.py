"""What the tools of a session printed."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from cairn_client.agent._events import command_of, file_of, text_of
from cairn_client.agent._screen import redacted, storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cairn_client.agent._events import HookEvent

_MOST_OF_ONE = 4_000
_MOST_KEPT = 256_000
_MOST_SENT = 32_000
"""Characters of one output, of what is kept, and of what is sent with a file: the ends, where results are."""

_MOST_SCREENED = 100_000
"""Characters in which secrets are looked for: more than is kept, so that none is cut before it is known for one."""

_QUIET = frozenset(("Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "TodoWrite"))
"""Tools whose output is a file's content: that a file was read says enough."""


def _tail(text: str, most: int) -> str:
    return text if len(text) <= most else f"…{text[1 - most :]}"


def _last(entries: Sequence[str], most: int) -> list[str]:
    """The entries at the end that are no longer than that together."""
    length = 0
    kept: list[str] = []
    for entry in reversed(entries):
        length += len(entry) + 1
        if length > most:
            break
        kept.append(entry)
    return kept[::-1]


def _output(response: object) -> str:
    if response is None or isinstance(response, str):
        return response or ""
    streams = [text_of(response, "stdout"), text_of(response, "stderr")]
    if streams[0] is not None or streams[1]:
        return "\n".join(stream for stream in streams if stream)
    return json.dumps(response, ensure_ascii=False, separators=(",", ":"), default=str)


def _entry(event: HookEvent, succeeded: bool, secrets: Sequence[str]) -> str:
    """What a tool was told and printed, without secrets."""

    def clean(text: str) -> str:
        return _tail(redacted(_tail(text, _MOST_SCREENED), secrets), _MOST_OF_ONE)

    name = str(event.get("tool_name", "tool"))
    command = command_of(event)
    head = f"[{name}] {file_of(event) or ''}".strip() if command is None else f"$ {clean(command)}"
    if not succeeded:
        output = f"failed: {event.get('error', '')}"
    else:
        output = "" if name in _QUIET else _output(event.get("tool_response"))
    return storable("\n".join(text for text in (head, clean(output)) if text))


def logged(entries: Sequence[str], event: HookEvent, succeeded: bool, secrets: Sequence[str]) -> list[str]:
    """An entry for each tool: with another one, and without the first where it gets too long."""
    return _last([*entries, _entry(event, succeeded, secrets)], _MOST_KEPT)


def _names(path: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(PurePosixPath(path).name)}(?![\w-])")


def logs_of(entries: Sequence[str], path: str, paths: Sequence[str]) -> str:
    """What concerns a file of the session: entries that name it, and those that name none, such as `make test`."""
    own = _names(path)
    every = [_names(one) for one in paths]
    concern = [entry for entry in entries if own.search(entry) or not any(form.search(entry) for form in every)]
    return "\n".join(_last(concern, _MOST_SENT))
