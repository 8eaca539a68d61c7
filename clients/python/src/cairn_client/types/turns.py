"""What is told of the turns of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from cairn_client.types.model import Model, Result
from cairn_client.types.run_events import ToolResult
from cairn_client.types.runs import RunUsage


class TurnCompacted(Model):
    """The request that summed older turns up, before a turn."""

    up_to: int
    """The last turn that is summed up."""
    model: str | None = None
    """The full name of the one that wrote the summary; `None`: none could, so it is a list of the steps."""
    recorded_at: datetime
    usage: RunUsage
    """Its own."""
    cost: float | None = None
    """US dollars, by today's prices; `None`: nobody has said any."""


class TurnRemembered(Model):
    """The request behind the last turn, for the workspace's memory."""

    how: str
    """`written` by the model, `listed` as one line, `kept` as it was."""
    model: str | None = None
    """The full name of the one that wrote it; `None`: none did."""
    recorded_at: datetime
    usage: RunUsage
    """Its own."""
    cost: float | None = None
    """US dollars, by today's prices; `None`: nobody has said any."""


class TakenTurn(Model):
    """A turn of a run, without what was said."""

    turn: int
    """From 1."""
    model: str | None = None
    """The full name of the model that answered; `None`: it is not known."""
    ended: str
    """`done`, `calls` (of tools), `paused`, `declined`, `cut` (at its limit), `full` (more than the model reads)."""
    begun_at: datetime
    """When the step before it was recorded: what came between, the model took, or an interruption."""
    answered_at: datetime
    """When what the model said was recorded."""
    tools_ended_at: datetime | None = None
    """When its tools had run; `None`: it called none, or they have not ended."""
    usage: RunUsage
    """Its own."""
    cost: float | None = None
    """US dollars, by today's prices; `None`: nobody has said any."""
    compacted: TurnCompacted | None = None
    """`None`: nothing was summed up before it."""


class _OfRun(Result):
    run_id: str
    """A UUID."""
    workspace_id: str
    """Where its files are."""


class TurnList(_OfRun):
    """The turns of a run."""

    turns: list[TakenTurn]
    """The first one first, so far."""
    remembered: TurnRemembered | None = None
    """`None`: there is none, or not yet."""


class OfferedTool(Model):
    """A tool that a model was offered."""

    name: str
    """By which it is called."""
    description: str
    """For the model."""
    input_schema: dict[str, Any]
    """A JSON schema."""


class ToldExchange(Model):
    """A turn before, as the model was told it."""

    turn: int
    """Its number."""
    content: list[dict[str, Any]]
    """What the model had said, block by block.

    `{"type": "text", "text": …}`, `{"type": "tool_use", "id": …, "name": …, "input": …}`, and what means something to
    the model alone, as it came.
    """
    results: list[ToolResult] | None = None
    """What its tools answered; `None`: it called none."""


class Told(Model):
    """What a model was told when it was asked for a turn."""

    system: str
    """The system prompt, in the words of the service's version."""
    tools: list[OfferedTool]
    """In the words of the service's version, too."""
    prompt: str
    """The task, with the account of earlier chats and the summary of turns told in short behind it."""
    compacted_up_to: int
    """The last turn that `prompt` tells in short; 0: none."""
    memory: str | None = None
    """`told`: `prompt` has an account of earlier chats.

    `none`: there was none; `unreadable`: what was there; `None`: it was not asked for.
    """
    history: list[ToldExchange]
    """The turns before, the first one first."""


class ToldTurn(TakenTurn, _OfRun):
    """A turn, and what the model was told for it."""

    told: Told
    """When it was asked for this turn."""
