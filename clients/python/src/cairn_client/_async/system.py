"""How the service is, and what happened in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from cairn_client._async.backup import AsyncBackup
from cairn_client._async.event_stream import AsyncEventStream
from cairn_client._async.pages import AsyncEvents
from cairn_client._async.raw import AsyncSystemWithRawResponse
from cairn_client._bodies import last_part, word
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import (
    Access,
    Activity,
    AsOf,
    AsOfList,
    AsOfRows,
    AuditedEvent,
    Bounds,
    BoundsList,
    EventsPage,
    Health,
    ModelList,
    NewestEvents,
    Readiness,
    Replay,
    ReplayList,
    RequestHistory,
    ServiceStatus,
    SignInKey,
    UsageReport,
)

if TYPE_CHECKING:
    import httpx2

    from cairn_client._async.transport import AsyncTransport


def _is_report(response: httpx2.Response) -> bool:
    """A 503 with a report is what was asked for; any other comes from somebody in between."""
    return response.status_code == 503 and b'"read_models"' in response.content


class AsyncServing:
    """How the service is, what it has and what happened, which the client and its `system` have alike."""

    _transport: AsyncTransport

    async def health(self, **options: Unpack[CallOptions]) -> Health:
        """Whether the service's process answers. Needs no API key."""
        return await self._transport.ask(Request("GET", "/health", options=options, open=True), Health)

    async def ready(self, **options: Unpack[CallOptions]) -> Readiness:
        """Whether the service can answer everything: also one that is still starting gives a result.

        Needs no API key.
        """
        request = Request("GET", "/ready", options=options, open=True, accepts=_is_report)
        return await self._transport.ask(request, Readiness)

    async def models(self, **options: Unpack[CallOptions]) -> ModelList:
        """The models that `chat` may ask for."""
        return await self._transport.ask(Request("GET", "/api/models", options=options), ModelList)

    async def usage(
        self,
        *,
        by: Literal["day", "model", "key", "user", "workspace"] | None = None,
        since: str | None = None,
        until: str | None = None,
        **options: Unpack[CallOptions],
    ) -> UsageReport:
        """What chats used: of the whole organization for its owners and admins, else of this client's key.

        Args:
            by: what each entry is of. Default: `day`.
            since: the first day, of UTC, as `2026-11-01`. Default: the first of the month of `until`.
            until: the last day. Default: today.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"by": word(by), "since": since, "until": until}
        return await self._transport.ask(Request("GET", "/api/usage", query=query, options=options), UsageReport)

    async def bounds(self, **options: Unpack[CallOptions]) -> BoundsList:
        """What the organization and its keys may use; for members, what the organization and this client's key may."""
        return await self._transport.ask(Request("GET", "/api/bounds", options=options), BoundsList)

    async def set_bounds(
        self,
        *,
        key_id: str | None = None,
        chats_per_day: int | None = None,
        tokens_per_month: int | None = None,
        cost_per_month: float | None = None,
        max_turns: int | None = None,
        models: list[str] | None = None,
        snippets: int | None = None,
        repository_bytes: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Bounds:
        """Sets what the organization, or one of its keys, may use, in place of what was set before.

        For owners and admins. What is left out is not bounded; days and months are those of UTC.

        Args:
            key_id: of which key. Default: of the whole organization.
            chats_per_day: chats that may begin in a day.
            tokens_per_month: tokens that models may read and write in a month.
            cost_per_month: US dollars in a month.
            max_turns: turns of one chat, 1 to 100.
            models: names that chats may ask for; of the whole organization only.
            snippets: snippets that may be stored at one time.
            repository_bytes: bytes that commits may bring to workspaces.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            PermissionDeniedError: `permission/…`.
            NotFoundError: `not_found/api_key`.

        """
        body = {
            "key_id": key_id,
            "chats_per_day": chats_per_day,
            "tokens_per_month": tokens_per_month,
            "cost_per_month": cost_per_month,
            "max_turns": max_turns,
            "models": models,
            "snippets": snippets,
            "repository_bytes": repository_bytes,
        }
        return await self._transport.ask(Request("POST", "/api/bounds", body, options=options), Bounds)

    async def skill(self, **options: Unpack[CallOptions]) -> str:
        """The service described for agents, as Markdown. Needs no API key."""
        return (await self._transport.send(Request("GET", "/skill.md", options=options, open=True))).text

    def events(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        type: str | None = None,
        stream: str | None = None,
        actor: str | None = None,
        correlation: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncEvents:
        """What happened in the organization, oldest first, for its owners and admins: `async for event in …`.

        Args:
            after: only events after this position.
            limit: events a page (1 to 1000, else 100); the loop goes on to the next page by itself.
            type: only events of this type, such as `VoteCast`.
            stream: only events of this stream.
            actor: only what this key or this person of the organization did: an id.
            correlation: only what followed from one request: the `correlation_id` of an event.
            **options: `timeout`, `max_retries`, `extra_headers` of each request.

        """

        async def fetch(position: str | None) -> EventsPage:
            query = {
                "after": position,
                "limit": limit,
                "type": type,
                "stream": stream,
                "actor": actor,
                "correlation": correlation,
            }
            return await self._transport.ask(Request("GET", "/api/events", query=query, options=options), EventsPage)

        return AsyncEvents(fetch, after)

    def event_stream(
        self,
        *,
        after: str | None = None,
        type: str | None = None,
        stream: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncEventStream:
        """The same events as they come, for as long as they are taken: `async with client.event_stream() as events`.

        A connection that is cut is made again behind the last event: none is left out, none comes twice. A `timeout`
        below 45 s counts as 45 s, since the service is silent for up to 15 s.

        Args:
            after: only events after this position.
            type: only events of this type, such as `VoteCast`.
            stream: only events of this stream.
            **options: `timeout`, `max_retries`, `extra_headers` of each connection.

        """
        return AsyncEventStream(self._transport, after=after, type=type, stream=stream, options=options)


class AsyncSystem(AsyncServing):
    """The service: how it is, what it has, and what happened in it."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def access(self, **options: Unpack[CallOptions]) -> Access:
        """Whose this client's key is, what bounds it, and what it may do."""
        return await self._transport.ask(Request("GET", "/api/access", options=options), Access)

    async def activity(
        self, *, since: str | None = None, until: str | None = None, **options: Unpack[CallOptions]
    ) -> Activity:
        """How much happened in the organization, hour by hour; for its owners and admins.

        Args:
            since: a time, as `2026-11-20T00:00:00Z`. Default: a day before `until`.
            until: a time. Default: now.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"since": since, "until": until}
        return await self._transport.ask(Request("GET", "/api/activity", query=query, options=options), Activity)

    async def status(self, **options: Unpack[CallOptions]) -> ServiceStatus:
        """How the service is: read models, reactions, search, chats and disks.

        For owners of the organization that the service made for its operator.
        """
        return await self._transport.ask(Request("GET", "/api/admin/status", options=options), ServiceStatus)

    async def requests(self, **options: Unpack[CallOptions]) -> RequestHistory:
        """How many requests were answered, minute by minute of the last day, by the process that answers this one.

        For owners of the organization that the service made for its operator.
        """
        return await self._transport.ask(Request("GET", "/api/admin/requests", options=options), RequestHistory)

    async def replays(self, **options: Unpack[CallOptions]) -> ReplayList:
        """The last replay of each read model, and how far the one is that goes on; for the operator, as `status`."""
        return await self._transport.ask(Request("GET", "/api/admin/replays", options=options), ReplayList)

    async def replay(self, read_model: str, *, promote: bool | None = None, **options: Unpack[CallOptions]) -> Replay:
        """Begins to build a read model anew beside the live one and to compare both; `replays` tells how far that is.

        Args:
            read_model: what `status` calls it.
            promote: whether the new one takes the live one's place. Default: `False`.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ConflictError: `conflict/replay_running`: also when it was begun by this call, whose answer was lost.
            NotFoundError: `not_found/read_model`.

        """
        body = {"read_model": read_model, "promote": promote}
        return await self._transport.ask(Request("POST", "/api/admin/replays", body, options=options), Replay)

    async def cancel_replay(self, read_model: str, **options: Unpack[CallOptions]) -> ReplayList:
        """Ends a replay that goes on, within a second; the live read model stays as it is.

        Raises `NotFoundError` `not_found/replay`: none goes on.
        """
        body = {"read_model": read_model}
        return await self._transport.ask(
            Request("POST", "/api/admin/replays/cancel", body, options=options), ReplayList
        )

    async def as_ofs(self, **options: Unpack[CallOptions]) -> AsOfList:
        """The read models as of positions that are kept, and how far one is that is made; for the operator."""
        return await self._transport.ask(Request("GET", "/api/admin/as-of", options=options), AsOfList)

    async def make_as_of(self, at: str, **options: Unpack[CallOptions]) -> AsOf:
        """Begins to make the read models as they were at a position or a time; `as_ofs` tells how far that is.

        Args:
            at: a position of the log, or a time in ISO 8601.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ConflictError: `conflict/replay_running`: also when it was begun by this call, whose answer was lost;
                `conflict/as_of_made`; `conflict/as_of_full`.

        """
        return await self._transport.ask(Request("POST", "/api/admin/as-of", {"at": at}, options=options), AsOf)

    async def drop_as_of(self, position: str, **options: Unpack[CallOptions]) -> AsOfList:
        """Removes the read models as of a position, or ends their making within a second.

        Raises `NotFoundError` `not_found/as_of`: there are none.
        """
        path = path_of("api", "admin", "as-of", position)
        return await self._transport.ask(Request("DELETE", path, options=options), AsOfList)

    async def as_of_rows(
        self,
        position: str,
        table: str,
        *,
        id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> AsOfRows:
        """Rows of a table as of a position, in the order of their ids, of all organizations.

        Args:
            position: what `as_ofs` calls it.
            table: such as `snippets_votes`.
            id: only the row of this id.
            cursor: the `next_cursor` of the page before.
            limit: at most so many (1 to 100, else 50).
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        Raises:
            NotFoundError: `not_found/as_of`.

        """
        path = path_of("api", "admin", "as-of", position, table)
        query = {"id": id, "cursor": cursor, "limit": limit}
        return await self._transport.ask(Request("GET", path, query=query, options=options), AsOfRows)

    async def sign_in(self, code: str, **options: Unpack[CallOptions]) -> SignInKey:
        """Exchanges the code of the link that the service prints on a terminal for a key of its operator.

        Needs no API key, and works on the service's own machine alone.

        Args:
            code: what stands behind `#sign-in=` in the link.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            PermissionDeniedError: `permission/not_this_machine`; `permission/invalid_code`: also when it was exchanged
                by this call, whose answer was lost.

        """
        request = Request("POST", "/api/sign-in", {"code": code}, options=options, open=True)
        return await self._transport.ask(request, SignInKey)

    async def newest_events(
        self,
        *,
        before: str | None = None,
        as_of: str | None = None,
        limit: int | None = None,
        type: str | None = None,
        stream: str | None = None,
        actor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> NewestEvents:
        """The newest events, or those before a position, in the log's order; for the organization's owners and admins.

        Args:
            before: only events before this position.
            as_of: begins at this position or time, with what was recorded there.
            limit: at most so many (1 to 1000, else 50).
            type: only events of this type, such as `VoteCast`.
            stream: only events of this stream.
            actor: only what this key or this person of the organization did: an id.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {
            "before": before,
            "as_of": as_of,
            "limit": limit,
            "type": type,
            "stream": stream,
            "actor": actor,
        }
        return await self._transport.ask(
            Request("GET", "/api/events/newest", query=query, options=options), NewestEvents
        )

    async def event(self, position: str, **options: Unpack[CallOptions]) -> AuditedEvent:
        """The event at a position, what became of its text, and whether it is as it was written; for owners and admins.

        Args:
            position: as an event tells it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        Raises:
            NotFoundError: `not_found/event`.

        """
        path = path_of("api", "event", last_part(position))
        return await self._transport.ask(Request("GET", path, options=options), AuditedEvent)

    def backup(self, *, recipient: str | None = None, **options: Unpack[CallOptions]) -> AsyncBackup:
        """A whole backup of the service, with the data of every organization: a tar for `cairn restore`.

        For owners of the organization that the service made for its operator. It comes piece by piece, as it is made:
        `async with client.system.backup() as pieces`. What was cut is no backup.

        Args:
            recipient: for whom it is encrypted: `age1…`, or several with commas between. Default: it is not encrypted.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        return AsyncBackup(self._transport, recipient=recipient, options=options)

    @property
    def with_raw_response(self) -> AsyncSystemWithRawResponse:
        """The same methods but those that stream, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncSystemWithRawResponse(self)
