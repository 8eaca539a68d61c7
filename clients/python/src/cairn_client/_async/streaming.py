"""Server-sent events, over however many connections."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import httpx2
import pydantic

from cairn_client._answers import error_of, request_id_of, unreachable, without_key
from cairn_client._event_streams import Cut, cut_off, ended, patient, refuse_other, unreadable
from cairn_client._request import CallOptions, Request, prepare
from cairn_client._retries import backoff, may_pass, wait_after
from cairn_client._sse import Message, MessageReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from types import TracebackType

    from cairn_client._async.transport import AsyncTransport
    from cairn_client._request import Prepared

T = TypeVar("T")


class AsyncStreaming(Generic[T]):
    """What is streamed: a connection that is cut is made again."""

    def __init__(self, transport: AsyncTransport, options: CallOptions) -> None:
        self._transport = transport
        self._options = options
        self._silent = 0
        """Connections in a row over which nothing was heard."""
        self._over = False
        """Whether the last message has come."""
        self._items = self._all()

    def _request(self) -> Request:
        """What the next connection asks for."""
        raise NotImplementedError

    def _read(self, message: Message) -> T | None:
        """What a message means, if anything; a `ValueError` where it can't be read."""
        raise NotImplementedError

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        return await self._items.__anext__()

    async def close(self) -> None:
        """Ends the stream and its connection."""
        await self._items.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _all(self) -> AsyncGenerator[T, None]:
        while not self._over:
            prepared = self._prepared()
            what = f"{prepared.method} {prepared.path}"
            try:
                async with aclosing(self._connection(prepared, what)) as items:
                    async for item in items:
                        yield item
            except Cut as cut:
                if cut.wait is None or self._silent >= prepared.max_retries:
                    raise cut.problem from cut.__cause__
                self._silent += 1
                self._transport.settings.logger.info("%s was cut; it is sent again in %.2f s", what, cut.wait)
                await self._transport._sleep(cut.wait)  # noqa: SLF001 # waits as its requests do

    def _prepared(self) -> Prepared:
        prepared = prepare(self._request(), self._transport.settings)
        if self._transport.pools.given is None and "authorization" not in prepared.headers:
            raise without_key()
        prepared.headers["Accept"] = "text/event-stream"
        return prepared

    async def _connection(self, prepared: Prepared, what: str) -> AsyncGenerator[T, None]:
        settings, chance = self._transport.settings, self._transport._chance  # noqa: SLF001
        reader = MessageReader()
        try:
            async with self._transport.http.stream(
                prepared.method,
                prepared.url,
                headers=prepared.headers,
                content=prepared.content,
                params=prepared.params or None,
                timeout=patient(prepared),
            ) as response:
                settings.logger.info("%s answered %s, request %s", what, response.status_code, request_id_of(response))
                if not response.is_success:
                    await response.aread()
                    problem = error_of(response, chance.now())
                    raise Cut(problem, wait_after(response, self._silent, chance, problem.code))
                refuse_other(response, what)
                # a generator, also where its type does not say so
                async with aclosing(response.aiter_bytes()) as pieces:  # type: ignore[type-var,unused-ignore]
                    async for piece in pieces:
                        for heard in reader.read(piece):
                            if heard != "comment" and heard.event == "end":
                                raise ended(what, heard.data, backoff(self._silent, chance))
                            self._silent = 0
                            if heard == "comment":
                                continue
                            try:
                                item = self._read(heard)
                            except (ValueError, pydantic.ValidationError):
                                raise Cut(unreadable(response, what, "an event that can't be read"), None) from None
                            if item is not None:
                                yield item
                            if self._over:
                                return
        except httpx2.RequestError as failure:
            wait = backoff(self._silent, chance) if may_pass(failure) else None
            raise Cut(unreachable(settings.base_url, failure, self._silent + 1), wait) from failure
        raise Cut(cut_off(what), backoff(self._silent, chance))
