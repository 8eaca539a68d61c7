"""Chats, one by one."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from cairn_client.types.model import Model, OpenEnum, Result
from cairn_client.types.workspaces import ChatResponse


class RunState(OpenEnum):
    """How far a chat is."""

    WAITING = "waiting"
    """For another chat of its workspace, or to begin."""
    RUNNING = "running"
    CANCELLING = "cancelling"
    """It was cancelled, and is about to end."""
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StartedRun(Result):
    """A chat that goes on by itself."""

    run_id: str
    """For `runs`; the `session_id` of its answer."""
    workspace_id: str
    """Where its files will be."""


class ListedRun(Model):
    """A chat, as `runs.list` has it."""

    run_id: str
    """A UUID."""
    workspace_id: str
    """Where its files are."""
    state: RunState
    failure: str | None = None
    """Why it failed: `model`, `max_turns`, `interrupted`, `revoked`, `bound`, `cancelled`; `None` when it did not."""
    model: str
    """As it was asked for."""
    turns: int
    """That it has taken."""
    max_turns: int
    """That it may take."""
    requested_at: datetime
    ended_at: datetime | None = None
    """`None` when it has not ended."""
    task: str
    """The first 200 characters of what was asked for."""


class RunUsage(Model):
    """Tokens of all turns of a run."""

    input_tokens: int
    """Read, those of the cache too."""
    output_tokens: int
    """Written."""
    cache_read_tokens: int
    """Read from the provider's cache."""
    cache_write_tokens: int
    """Put into it."""


class CalledTool(Model):
    """A tool that a run has called."""

    name: str
    calls: int
    """How often."""
    failed: int
    """Calls that failed."""


class Run(Result):
    """How far a chat is."""

    run_id: str
    """A UUID."""
    workspace_id: str
    """Where its files are."""
    state: RunState
    failure: str | None = None
    """Why it failed: `model`, `max_turns`, `interrupted`, `revoked`, `bound`, `cancelled`; `None` when it did not."""
    model: str
    """As it was asked for."""
    turns: int
    """That it has taken."""
    max_turns: int
    """That it may take."""
    requested_at: datetime
    ended_at: datetime | None = None
    """`None` when it has not ended."""
    memory: str | None = None
    """How the workspace's memory goes on with it; `None` when it was not asked for.

    `pending`, `written` (by the model), `listed` (as one line), `kept` (the file can't be read as a whole), `none` (the
    run was given up).
    """
    usage: RunUsage
    """So far."""
    task: str = ""
    """All that was asked for."""
    tools: list[CalledTool] = Field(default_factory=list)
    """Those that it has called so far, the one called first first."""
    answer: ChatResponse | None = None
    """What `chat` would have given; `None` until it has ended."""


class RunList(Result):
    """A workspace's chats."""

    runs: list[ListedRun]
    """The one asked for last first."""
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class CancelResponse(Result):
    """A run that was cancelled, and is about to end."""

    success: bool
    run_id: str
    workspace_id: str
    """Where what it wrote is saved."""
