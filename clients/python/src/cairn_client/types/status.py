"""How the service is, and how much happens in it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from cairn_client.types.model import Model, Result


class ActivityHour(Model):
    """What happened in an hour."""

    at: datetime
    """When it began."""
    searches: int
    uploads: int
    """Snippets that were stored."""
    votes_for: int
    votes_against: int
    executions: int
    """Runs of code that agents told of."""
    comments: int
    chats: int
    chats_failed: int
    """Also those that were stopped."""


class Activity(Result):
    """How much happened in the organization."""

    since: datetime
    """The beginning of the first hour that is counted."""
    until: datetime
    hours: list[ActivityHour]
    """Those in which something happened, in their order."""
    pending_gradings: int
    """Gradings that were asked for and are not done yet."""


class ReadModelStatus(Model):
    """How far a read model is."""

    name: str
    version: int
    """Of its tables and rules."""
    position: str | None = None
    """Up to where it has taken in the log; `None` before it is made."""
    lag: int | None = None
    """Positions that it is behind what concerns it; `None` before it is made."""
    fault: str | None = None
    """Why it can't go on; `None`: it can."""


class ReactionStatus(Model):
    """How far something that follows from events is."""

    name: str
    lag: int
    """Positions that it is behind what concerns it."""
    fault: str | None = None
    """Why it stands still; `None`: it does not."""


class SearchStatus(Model):
    """How far the index of snippets is."""

    position: str
    lag: int
    """Positions that it is behind the snippets."""
    snippets: int | None = None
    """That it holds; `None`: it is elsewhere."""
    left_out: int
    """Snippets that are not found by all that they say."""
    fault: str | None = None
    """Why it can't go on; `None`: it can."""


class ChatStatus(Model):
    """Chats that the process has in hand."""

    running: int
    waiting: int


class DiskStatus(Model):
    """What room a disk has."""

    disk: Literal["data", "database", "workspaces"]
    free_bytes: int
    nearly_full: bool
    """Whether writes to it are refused."""


class ServiceStatus(Result):
    """How the service is, of several processes the one that answered."""

    version: str
    started_at: datetime
    runtime: str
    """Such as `Deno 2.9.5`."""
    memory_bytes: int
    head: str
    """Of the log's last event."""
    missing: list[Literal["database", "log", "search"]]
    """What can't be had at the moment."""
    read_models: list[ReadModelStatus]
    reactions: list[ReactionStatus]
    search: SearchStatus
    chats: ChatStatus
    disks: list[DiskStatus]


class SignInKey(Result):
    """A key of the operator's that ends by itself."""

    key: str
    """Shown this once."""
    key_id: str
    """For `keys.revoke`."""
    expires_at: datetime
