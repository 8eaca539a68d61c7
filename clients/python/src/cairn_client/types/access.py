"""What a key may do."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from cairn_client.types.model import Model, Result


class KeyRates(Model):
    """Requests that a key may make in a minute, by their kind; `None`: any number."""

    search: int | None = None
    store: int | None = None
    """What stores."""
    chat: int | None = None
    keys_create: int | None = None
    keys_list: int | None = None
    keys_revoke: int | None = None
    other: int | None = None
    """All else."""


class Access(Result):
    """Whose a key is, what bounds it, and what it may do."""

    key_id: str
    """A UUID."""
    user_id: str
    """A UUID, of the person whose key it is."""
    user_email: str
    organization_id: str | None = None
    """A UUID; `None` of a personal key."""
    tier: Literal["FREE", "PRO", "ENTERPRISE"]
    """What the organization may use."""
    role: Literal["owner", "admin", "member", "reader"]
    """The key's authority."""
    operator: bool
    """Whether it is an owner's of the organization that the service made for its operator."""
    acts_for: Literal["own", "any"]
    """Whether it works in its own person's workspaces, or in everybody's."""
    read_only: bool
    """Whether it writes nothing, whatever its role."""
    expires_at: datetime | None = None
    workspaces: list[str] | None = None
    """Ids of the workspaces that it works in; `None`: all."""
    models: list[str] | None = None
    """Names of the models that it may ask for; `None`: all."""
    operations: list[str]
    """Ids of the API's operations that are not refused to it, such as `snippets.search`."""
    rates: KeyRates
    """How many requests it may make."""
