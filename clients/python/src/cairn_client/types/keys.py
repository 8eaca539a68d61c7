"""API keys of an organization."""

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
    """`owner`, `admin` or `member`: what it may do."""
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
    """`owner`, `admin` or `member`: what it may do."""
    created_at: datetime
    last_used_at: datetime | None = None
    """Up to a minute old; `None` until it is used."""


class KeyList(Result):
    """The organization's live keys."""

    keys: list[ListedKey]
    organization_id: str
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class RevokedKey(Result):
    """That a key is revoked."""

    success: bool
    key_id: str
