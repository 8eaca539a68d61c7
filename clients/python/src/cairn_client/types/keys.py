"""API keys of an organization, and its people."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from cairn_client.types.model import Model, Result


class CreatedKey(Result):
    """A new key. Its `key` is only ever in this answer, and not in its `repr`."""

    id: str
    """A UUID, for `keys.revoke`."""
    name: str
    """How it is shown, as it was given."""
    key: str = Field(repr=False)
    """The secret itself, `cairn_live_…`."""
    key_prefix: str
    """The first 20 characters, which may be shown."""
    user_email: str
    """Whose key it is, in lower case."""
    organization_id: str
    organization_name: str
    role: str | None = None
    """`owner`, `admin`, `member` or `reader`: what it may do."""
    acts_for: str = "any"
    """`own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in everybody's."""
    read_only: bool = False
    """Whether it only reads."""
    expires_at: datetime | None = None
    """From then on it is not valid; `None`: it stays so."""
    workspaces: list[str] | None = None
    """Ids of the workspaces that it works in; `None`: all."""
    models: list[str] | None = None
    """Names of the models that it may ask for; `None`: all."""
    acts_as: str | None = None
    """The `user` of the person's chats; `None`: the e-mail."""
    is_new_member: bool
    """Whether the person became a member of the organization by this."""
    created_at: datetime


class ListedKey(Model):
    """A live key."""

    id: str
    """A UUID, for `keys.revoke`."""
    name: str
    """How it is shown."""
    key_prefix: str
    """The first 20 characters."""
    user_email: str
    """Whose key it is."""
    user_id: str
    """A UUID."""
    role: str | None = None
    """`owner`, `admin`, `member` or `reader`: what it may do."""
    acts_for: str = "any"
    """`own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in everybody's."""
    read_only: bool = False
    """Whether it only reads."""
    expires_at: datetime | None = None
    """From then on it is not valid; `None`: it stays so."""
    workspaces: list[str] | None = None
    """Ids of the workspaces that it works in; `None`: all."""
    models: list[str] | None = None
    """Names of the models that it may ask for; `None`: all."""
    acts_as: str | None = None
    """The `user` of the person's chats; `None`: the e-mail."""
    created_at: datetime
    last_used_at: datetime | None = None
    """Up to a minute old; `None` until it is used."""


class KeyList(Result):
    """The organization's live keys."""

    keys: list[ListedKey]
    organization_id: str
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class LimitedKey(Result):
    """What bounds a key from now on."""

    success: bool
    key_id: str
    acts_for: str = "any"
    """`own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in everybody's."""
    read_only: bool = False
    """Whether it only reads."""
    expires_at: datetime | None = None
    """From then on it is not valid; `None`: it stays so."""
    workspaces: list[str] | None = None
    """Ids of the workspaces that it works in; `None`: all."""
    models: list[str] | None = None
    """Names of the models that it may ask for; `None`: all."""


class RevokedKey(Result):
    """That a key is revoked."""

    success: bool
    key_id: str


class ListedUser(Model):
    """A person of the organization."""

    user_id: str
    """A UUID."""
    user_email: str
    """In lower case."""
    role: str
    """`owner`, `admin`, `member` or `reader`: what they may do."""
    keys: int
    """How many live keys they have."""
    joined_at: datetime
    last_used_at: datetime | None = None
    """Of all their live keys, up to a minute old; `None` until one is used."""


class UserList(Result):
    """The organization's people."""

    users: list[ListedUser]
    organization_id: str
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class ChangedRole(Result):
    """What somebody may do from now on."""

    success: bool
    user_id: str
    role: str
