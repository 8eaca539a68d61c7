"""What happened in the organization."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from cairn_client.types.model import Model, Result


class EventActor(Model):
    """Whose doing an event is; `external` in place of an id for somebody of another organization."""

    key_id: str | None = None
    user_id: str | None = None
    organization_id: str | None = None


class RecordedEvent(Model):
    """One event of the log."""

    position: str
    """Its place in the log, for `after`; opaque."""
    stream: str
    """What it is about, such as `snippet-…` with an id."""
    revision: int
    """Its place in the stream, from 0."""
    event_id: str
    """A UUID."""
    type: str
    """What happened, such as `VoteCast`."""
    schema_version: int
    """Of `data`; from 1."""
    data: dict[str, Any]
    """The type's own fields, under the names that the log has."""
    actor: EventActor
    command_id: str
    """The request that it comes from, which is carried out once."""
    correlation_id: str
    """The same for all that followed from one request."""
    causation_id: str | None = None
    """The event that it follows from."""
    request_id: str | None = None
    """The `X-Request-Id` of the request that led to it, on the first event of a command."""
    trace_id: str | None = None
    """The trace (W3C) that the request was part of, on the first event of a command."""
    recorded_at: datetime


class AuditedEvent(Result):
    """An event, and what can be seen of how it is stored."""

    event: RecordedEvent
    text: Literal["none", "there", "erased"]
    """What became of what its caller typed."""
    erased_by: str | None = None
    """The position of the event that erased its text, where that is kept."""
    intact: bool | None = None
    """Whether it is what its digest says; `None`: none was kept of it."""


class NewestEvents(Result):
    """The newest events, or those before a position."""

    events: list[RecordedEvent]
    """In the log's order: the newest last."""
    next_before: str | None = None
    """For `before`, to go back further; `None` at the log's beginning."""
    next_after: str
    """Of the log's head: for `after` of `events` or `event_stream`, to go on from there."""


class EventsPage(Result):
    """Some events, oldest first."""

    events: list[RecordedEvent]
    """None: there are no more by now."""
    next_after: str
    """For `after`: the last one's position."""
