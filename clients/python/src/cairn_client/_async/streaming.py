"""Server-sent events, over however many connections."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar

import httpx2
import pydantic

from cairn_client._answers import unreachable
from cairn_client._async.taken import AsyncTaken
from cairn_client._event_streams import Cut, cut_off, ended, patient, refuse_other, unreadable
from cairn_client._retries import backoff, may_pass
from cairn_client._sse import Message, MessageReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from cairn_client._async.transport import AsyncTransport
    from cairn_client._request import CallOptions, Prepared, Request

T = TypeVar("T")


class AsyncStreaming(AsyncTaken[T]):
    """What is streamed: a connection that is cut is made again."""

    def __init__(self, transport: AsyncTransport, options: CallOptions) -> None:
        self._options = options
        self._silent = 0
        """Connections in a row over which nothing was heard."""
        self._over = False
        """Whether the last message has come."""
        super().__init__(transport)

    def _request(self) -> Request:
        """What the next connection asks for."""
        raise NotImplementedError

    def _read(self, message: Message) -> T | None:
        """What a message means, if anything; a `ValueError` where it can't be read."""
        raise NotImplementedError

    async def _all(self) -> AsyncGenerator[T, None]:
        while not self._over:
            prepared = self._prepared(self._request(), "text/event-stream")
            what = f"{prepared.method} {prepared.path}"
            try:
                async with aclosing(self._connection(prepared, what)) as items:
                    async for item in items:
                        yield item
            except Cut as cut:
                if not await self._transport.waits(prepared, cut.why, self._silent, cut.wait):
                    raise cut.problem from cut.__cause__
                self._silent += 1

    async def _connection(self, prepared: Prepared, what: str) -> AsyncGenerator[T, None]:
        settings, chance = self._transport.settings, self._transport._chance  # noqa: SLF001
        reader = MessageReader()
        try:
            async with self._answer(prepared, patient(prepared), self._silent) as response:
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
