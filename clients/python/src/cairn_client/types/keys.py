"""API keys of an organization."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from cairn_client.types.model import Model, Result


class CreatedKey(Result):
    """A new key. Its `key` is only ever in this answer."""

    id: str
    name: str
    key: str = Field(repr=False)
    key_prefix: str
    user_email: str
    organization_id: str
    organization_name: str
    is_new_member: bool
    created_at: datetime


class ListedKey(Model):
    """A live key."""

    id: str
    name: str
    key_prefix: str
    user_email: str
    user_id: str
    created_at: datetime
    last_used_at: datetime | None = None


class KeyList(Result):
    """The organization's live keys."""

    keys: list[ListedKey]
    organization_id: str


class RevokedKey(Result):
    """That a key is revoked."""

    success: bool
    key_id: str
