"""What happened in the organization."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from cairn_client.types.model import Model, Result


class EventActor(Model):
    """Whose doing an event is; `external` for somebody of another organization."""

    key_id: str | None = None
    user_id: str | None = None
    organization_id: str | None = None


class RecordedEvent(Model):
    """One event of the log."""

    position: str
    stream: str
    revision: int
    event_id: str
    type: str
    schema_version: int
    data: dict[str, Any]
    actor: EventActor
    command_id: str
    correlation_id: str
    causation_id: str | None = None
    recorded_at: datetime


class EventsPage(Result):
    """Some events, oldest first; go on with `after` = `next_after`."""

    events: list[RecordedEvent]
    next_after: str
