"""The organization that a key is of."""

from __future__ import annotations

from datetime import datetime

from cairn_client.types.model import Result


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
