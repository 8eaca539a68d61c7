"""The organization that a key is of."""

from __future__ import annotations

from datetime import datetime

from cairn_client.types.model import Model, Result


class OrganizationInfo(Result):
    """The organization of a key."""

    organization_id: str
    """A UUID."""
    name: str
    """Its name, for people."""
    slug: str
    """A short name of `a`-`z`, `0`-`9` and hyphens that no other organization of the service has."""
    tier: str
    """`FREE`, `PRO` or `ENTERPRISE`: what it may use."""
    members: int
    """How many people it has, the owner included."""
    member_limit: int
    """How many it may have."""
    registered_at: datetime


class ErasedAtOnce(Model):
    """What is gone of an organization as soon as it is erased."""

    members: int
    """People that it had."""
    keys: int
    """Keys that were live, which are revoked."""


class BegunErasure(Result):
    """That an organization is erased."""

    organization_id: str
    """A UUID, for `organization.erasure`."""
    status_url: str
    """Path at the service that says how far it is."""
    erased: ErasedAtOnce
    """What is gone at once."""
    position: str
    """Of the event in the log that says so."""


class ErasedOrganization(Model):
    """What is gone of an organization so far."""

    members: int
    """People that it had."""
    keys: int
    """Keys that were live, which are revoked."""
    snippets: int
    """Snippets, published ones as well."""
    workspaces: int
    """Workspaces, with their repositories."""
    commits: int
    """Commits of the workspaces."""
    chats: int
    """Chats in the workspaces."""
    files: int
    """Files that were in the workspaces at last."""


class LeftOfOrganization(Model):
    """What is still there of an organization."""

    snippets: int
    workspaces: int


class Erasure(Result):
    """How far the erasure of an organization is."""

    organization_id: str
    """A UUID."""
    state: str
    """`erasing`, or `erased`: all of it is gone, and this is the receipt."""
    begun_at: datetime
    ended_at: datetime | None = None
    """`None` until all of it is gone."""
    erased: ErasedOrganization
    """What is gone so far."""
    left: LeftOfOrganization
    """What is still there."""
    position: str
    """Of the last event that is counted."""
