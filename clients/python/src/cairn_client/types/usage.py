"""What chats used, and what bounds it."""

from __future__ import annotations

from datetime import datetime

from cairn_client.types.model import Model, Result


class UsageTotal(Model):
    """What chats used together."""

    chats: int
    turns: int
    """Turns of models."""
    input_tokens: int
    """Tokens that models read, those of a prompt cache too."""
    output_tokens: int
    cache_read_tokens: int
    """Tokens of the input that a prompt cache had."""
    cache_write_tokens: int
    """Tokens of the input that were put there."""
    cost: float | None = None
    """US dollars by the prices that the service has now; `None`: it has none for one of the models."""


class UsageEntry(UsageTotal):
    """What was used of one kind."""

    of: str
    """The day, the model as chats ask for it, the key's id or the workspace's."""


class SpentBound(Model):
    """How far a bound is spent."""

    key_id: str | None = None
    """`None`: it is of the whole organization."""
    bound: str
    """`chats_per_day`, `tokens_per_month` or `cost_per_month`."""
    limit: float
    """Chats, tokens or US dollars."""
    used: float
    """Today, or this month."""
    resets_at: datetime
    """When its count begins anew."""


class StorageBound(Model):
    """How far a bound of what is stored is taken."""

    key_id: str | None = None
    """`None`: it is of the whole organization."""
    bound: str
    """`snippets` or `repository_bytes`."""
    limit: int
    """How many snippets or bytes there may be."""
    used: int
    """How many of them there are."""


class StoredUsage(Model):
    """What is stored. It does not begin anew by itself: deleting snippets and erasing workspaces frees it."""

    snippets: int
    """That are there."""
    repository_bytes: int
    """That commits of the workspaces brought which are there."""
    bounds: list[StorageBound]
    """What bounds it."""


class UsageReport(Result):
    """What chats used. Days are those of UTC."""

    since: str
    """The first day that is counted, as `2026-11-01`."""
    until: str
    """The last one."""
    by: str
    """What each entry is of."""
    usage: list[UsageEntry]
    """Days in their order, else those that used the most tokens first; at most 1,000."""
    left_out: int = 0
    """How many further entries there are."""
    total: UsageTotal
    """All entries together, those that are left out too."""
    bounds: list[SpentBound]
    stored: StoredUsage | None = None
    """What is stored now; `None` where the service is of before it told that."""


class Bounds(Result):
    """What the organization, or one of its keys, may use; `None`: any amount. Days and months are those of UTC."""

    key_id: str | None = None
    """`None`: it is of the whole organization."""
    chats_per_day: int | None = None
    tokens_per_month: int | None = None
    """Those that models read and write."""
    cost_per_month: float | None = None
    """US dollars."""
    max_turns: int | None = None
    """Of one chat."""
    models: list[str] | None = None
    """Names that chats may ask for."""
    snippets: int | None = None
    """That may be stored at one time."""
    repository_bytes: int | None = None
    """That commits may bring to workspaces."""


class BoundsList(Result):
    """What is bounded: the organization first, then its keys."""

    bounds: list[Bounds]
