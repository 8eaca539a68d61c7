"""Events as they come."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import httpx2

from cairn_client._answers import error_of, request_id_of, unreachable, without_key
from cairn_client._event_streams import PATH, Cut, cut_off, ended, event_of, patient, refuse_other
from cairn_client._request import CallOptions, Request, prepare
from cairn_client._retries import backoff, may_pass, wait_after
from cairn_client._sse import MessageReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from types import TracebackType

    from cairn_client._async.transport import AsyncTransport
    from cairn_client._request import Prepared
    from cairn_client.types import RecordedEvent


@dataclass
class _Place:
    """How far a stream has come."""

    after: str | None
    silent: int = 0
    """Connections in a row over which nothing was heard."""


class AsyncEventStream:
    """The events of the organization as they come, for as long as they are taken.

    First those that are in the log already, then each new one within moments. When the connection is cut it is made
    again, behind the last event: none is left out, none comes twice. It never ends by itself. Use it in an `async with`
    block, or `close()` it, so that its connection ends when you have heard enough:

        async with client.event_stream(type="KeyRevoked") as events:
            async for event in events:
                print(event.position)

    Raises:
        AuthenticationError: the key was revoked.
        CacheUnavailableError: so many connections in a row brought nothing as `max_retries` allows.

    """

    def __init__(
        self,
        transport: AsyncTransport,
        *,
        after: str | None,
        type: str | None,
        stream: str | None,
        options: CallOptions,
    ) -> None:
        self._transport = transport
        self._filters = {"type": type, "stream": stream}
        self._options = options
        self._events = self._all(_Place(after))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> RecordedEvent:
        return await self._events.__anext__()

    async def close(self) -> None:
        """Ends the stream and its connection."""
        await self._events.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _all(self, place: _Place) -> AsyncGenerator[RecordedEvent, None]:
        while True:
            prepared = self._prepared(place)
            try:
                async with aclosing(self._connection(prepared, place)) as events:
                    async for event in events:
                        yield event
            except Cut as cut:
                if cut.wait is None or place.silent >= prepared.max_retries:
                    raise cut.problem from cut.__cause__
                place.silent += 1
                self._transport.settings.logger.info("GET %s was cut; it is sent again in %.2f s", PATH, cut.wait)
                await self._transport._sleep(cut.wait)  # noqa: SLF001 # waits as its requests do

    def _prepared(self, place: _Place) -> Prepared:
        query = {**self._filters, "after": place.after}
        prepared = prepare(Request("GET", PATH, query=query, options=self._options), self._transport.settings)
        if self._transport.pools.given is None and "authorization" not in prepared.headers:
            raise without_key()
        prepared.headers["Accept"] = "text/event-stream"
        return prepared

    async def _connection(self, prepared: Prepared, place: _Place) -> AsyncGenerator[RecordedEvent, None]:
        settings, chance = self._transport.settings, self._transport._chance  # noqa: SLF001
        reader = MessageReader()
        try:
            async with self._transport.http.stream(
                "GET",
                prepared.url,
                headers=prepared.headers,
                params=prepared.params or None,
                timeout=patient(prepared),
            ) as response:
                settings.logger.info(
                    "GET %s answered %s, request %s", PATH, response.status_code, request_id_of(response)
                )
                if not response.is_success:
                    await response.aread()
                    raise Cut(error_of(response, chance.now()), wait_after(response, place.silent, chance))
                refuse_other(response)
                # a generator, also where its type does not say so
                async with aclosing(response.aiter_bytes()) as pieces:  # type: ignore[type-var,unused-ignore]
                    async for piece in pieces:
                        for heard in reader.read(piece):
                            if heard != "comment" and heard.event == "end":
                                raise ended(heard.data, backoff(place.silent, chance))
                            place.silent = 0
                            if heard != "comment":
                                event = event_of(heard.data, response)
                                place.after = event.position
                                yield event
        except httpx2.RequestError as failure:
            wait = backoff(place.silent, chance) if may_pass(failure) else None
            raise Cut(unreachable(settings.base_url, failure, place.silent + 1), wait) from failure
        raise Cut(cut_off(), backoff(place.silent, chance))
