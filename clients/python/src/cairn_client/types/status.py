"""How the service is, and how much happens in it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

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
    rows: int | None = None
    """As the database reckons; `None` where that can't be told."""
    bytes: int | None = None
    """On disk, with indexes; `None` where that can't be told."""
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


class ModelStatus(Model):
    """What was seen of a language model since the process began."""

    name: str
    """What callers ask for."""
    model: str
    """The full id that its provider knows it by."""
    answered_at: datetime | None = None
    """When it last answered; `None`: it has not."""
    failed_at: datetime | None = None
    """When it last failed; `None`: it has not."""
    fault: str | None = None
    """Why it last failed."""


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
    models: list[ModelStatus] = Field(default_factory=list)
    """The models that callers may name, and what was seen of each."""
    chats: ChatStatus
    disks: list[DiskStatus]


class SignInKey(Result):
    """A key of the operator's that ends by itself."""

    key: str
    """Shown this once."""
    key_id: str
    """For `keys.revoke`."""
    expires_at: datetime


class RequestMinute(Model):
    """Requests that were answered in a minute."""

    at: datetime
    """When it began."""
    answered: int
    """With a status below 400."""
    refused: int
    """For something of their own: 400 to 498."""
    failed: int
    """For nothing of their own: 500 and more."""
    left: int
    """Whose caller had left before."""


class RequestHistory(Result):
    """How many requests a process has answered, and how."""

    process: str
    """The process that has counted them, of several: its machine's name and its number there."""
    since: datetime
    """The process's start, or a day before `until`."""
    until: datetime
    minutes: list[RequestMinute]
    """Those in which one was answered, in their order."""


class AsOfTable(Model):
    """A table of the read models as of a position."""

    name: str
    """The read model's name and the table's: `snippets_votes`."""
    rows: int
    """As the database reckons."""
    bytes: int
    """On disk, with its index."""


class AsOf(Result):
    """The read models as they were at a position."""

    position: str
    """Up to where the log is in it."""
    recorded_at: datetime | None = None
    """When the last event was recorded that is in it; `None`: there is none."""
    state: Literal["making", "made", "failed", "broken_off"]
    """`broken_off`: its process went away in the midst of it."""
    progress: float
    """From 0 to 1."""
    tables: list[AsOfTable]
    """By name; of one that is made those that are there already."""
    fault: str | None = None
    """Why it failed; `None`: it did not."""
    key_id: str | None = None
    """At whose word it was made; `None`: the command line has made it, which notes no times either."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    """`None`: it is made."""


class AsOfList(Result):
    """What is kept of read models as they were."""

    as_of: list[AsOf]
    """Those that there are, by position."""
    most: int
    """How many there may be."""


class AsOfRows(Result):
    """Rows of a table as it was."""

    columns: list[str]
    """The table's columns but for hashes and secrets."""
    rows: list[list[str | None]]
    """Each with a value a column, as the database writes it; of a long one its first 500 characters and `…`."""
    next_cursor: str | None = None
    """What to give as `cursor` for the next page; `None` on the last one."""


class TableDifference(Model):
    """Rows in which a read model and its rebuild differ."""

    table: str
    rows: int
    """50 may be more."""


class Replay(Result):
    """A read model that is, or was, built anew beside the live one, and compared with it."""

    read_model: str
    """What `status` calls it."""
    promote: bool
    """Whether the new one takes the live one's place."""
    state: Literal["running", "done", "cancelled", "failed", "broken_off"]
    """`broken_off`: its process went away in the midst of it."""
    position: str | None = None
    """Up to where the new one has taken in the log; `None` before it has begun."""
    goal: str | None = None
    """Where both are compared; `None` before it has begun."""
    progress: float | None = None
    """From 0 to 1; `None` before it has begun."""
    events: int
    """That were taken in."""
    differences: list[TableDifference]
    """Empty: the live one is what the log says."""
    fault: str | None = None
    """Why it failed; `None`: it did not."""
    key_id: str
    """At whose word it began."""
    started_at: datetime
    ended_at: datetime | None = None
    """`None`: it goes on."""


class ReplayList(Result):
    """What is known of replays."""

    replays: list[Replay]
    """The last one of each read model that had one."""
