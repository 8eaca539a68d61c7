"""What comes of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

import pydantic_core

from cairn_client.types.model import Model
from cairn_client.types.runs import Run, RunUsage
from cairn_client.types.workspaces import FileChange


class RunRequested(Model):
    """The run is stored, and goes on by itself."""

    type: Literal["requested"] = "requested"
    id: str
    """Its place in the run's stream."""
    run_id: str
    """For `runs`."""
    workspace_id: str
    """Where its files will be."""
    model: str
    """As it was asked for."""
    max_turns: int
    """That it may take."""
    memory: bool = False
    """Whether it reads and writes its workspace's memory."""
    requested_at: datetime


class RunStarted(Model):
    """The run has begun, on its workspace's last commit."""

    type: Literal["started"] = "started"
    id: str
    """Its place in the run's stream."""
    commit: str | None = None
    """A SHA; `None` when it is the workspace's first one."""


class RunResumed(Model):
    """Another process has taken the run up: a turn that was not told yet is asked for again."""

    type: Literal["resumed"] = "resumed"
    id: str
    """Its place in the run's stream."""
    attempt: int
    """At this step, from 1."""


class RunCancelling(Model):
    """The run was cancelled, and is about to end."""

    type: Literal["cancelling"] = "cancelling"
    id: str
    """Its place in the run's stream."""


class RunCompacted(Model):
    """The talk was longer than the model reads: it goes on with a summary of its first turns."""

    type: Literal["compacted"] = "compacted"
    id: str
    """Its place in the run's stream."""
    turn: int
    """Turns that the run had."""
    up_to: int
    """The last turn that is summed up."""


class RunRemembered(Model):
    """The workspace's memory goes on with the run, which is about to end."""

    type: Literal["remembered"] = "remembered"
    id: str
    """Its place in the run's stream."""
    how: str
    """`written` (by the model), `listed` (as one line) or `kept` (the file can't be read as a whole)."""
    path: str
    """Of the file that has it."""
    usage: RunUsage
    """What the model took for it."""


class RunText(Model):
    """What the model says as it says it: the turn that follows has all of it."""

    type: Literal["text"] = "text"
    turn: int
    """From 1."""
    offset: int
    """Where the text stands in its turn, in UTF-16 code units.

    0: the turn is said from its beginning, once more if it was before.
    """
    text: str
    """A piece."""


class ToolCall(Model):
    """A call of a tool."""

    id: str
    """For the result."""
    name: str
    """Of the tool."""
    input: Any = None
    """What the model wrote for it."""


class RunTurn(Model):
    """A turn that the model has taken."""

    type: Literal["turn"] = "turn"
    id: str
    """Its place in the run's stream."""
    turn: int
    """From 1."""
    text: str
    """All that it said."""
    tool_calls: list[ToolCall]
    """Tools that are run now, one after another."""
    usage: RunUsage
    """Of this turn."""


class ToolResult(Model):
    """What a tool answered."""

    tool_call_id: str
    """The call's `id`."""
    content: str
    """What the model reads."""
    is_error: bool
    """Whether it failed."""


class RunTools(Model):
    """The tools of a turn have run."""

    type: Literal["tools"] = "tools"
    id: str
    """Its place in the run's stream."""
    turn: int
    """The turn that called them."""
    results: list[ToolResult]
    """In the order of the calls."""
    changed_files: list[FileChange] | None = None
    """The first 500 files that they changed; `None`: nobody knows any more, a day after the run."""
    changed: int | None = None
    """How many they are."""


class RunAnswered(Model):
    """The run has ended, well or not."""

    type: Literal["answer"] = "answer"
    run: Run
    """As `runs.get` gives it."""


RunEvent: TypeAlias = (
    RunRequested
    | RunStarted
    | RunResumed
    | RunCancelling
    | RunCompacted
    | RunRemembered
    | RunText
    | RunTurn
    | RunTools
    | RunAnswered
)
"""What comes of a run."""

_KINDS: dict[str, type[RunEvent]] = {
    "requested": RunRequested,
    "started": RunStarted,
    "resumed": RunResumed,
    "cancelling": RunCancelling,
    "compacted": RunCompacted,
    "remembered": RunRemembered,
    "text": RunText,
    "turn": RunTurn,
    "tools": RunTools,
}


def run_event_of(event: str, data: str, id: str) -> RunEvent | None:
    """An event off its message; `None`: a newer service's. Raises `ValueError` on what is no such event."""
    if event == "answer":
        return RunAnswered(run=Run.model_validate_json(data))
    kind = _KINDS.get(event)
    if kind is None:
        return None
    fields = pydantic_core.from_json(data)
    if not isinstance(fields, dict):
        raise ValueError(event)
    found: RunEvent = kind.model_validate({**fields, "id": id} if id else fields)
    return found
