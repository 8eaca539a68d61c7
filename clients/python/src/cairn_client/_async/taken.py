"""What comes piece by piece over a connection that lasts."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from cairn_client._answers import error_of, request_id_of, without_key
from cairn_client._event_streams import Cut
from cairn_client._request import prepare
from cairn_client._retries import wait_after

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator
    from types import TracebackType

    import httpx2

    from cairn_client._async.transport import AsyncTransport
    from cairn_client._request import Prepared, Request

T = TypeVar("T")


class AsyncTaken(Generic[T]):
    """What is taken in an `async with` block, so that its connection ends with the block."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self._items = self._all()

    def _all(self) -> AsyncGenerator[T, None]:
        """All that comes, over however many connections."""
        raise NotImplementedError

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        return await self._items.__anext__()

    async def close(self) -> None:
        """Ends it and its connection."""
        await self._items.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _prepared(self, request: Request, accept: str) -> Prepared:
        prepared = prepare(request, self._transport.settings)
        if self._transport.pools.given is None and "authorization" not in prepared.headers:
            raise without_key()
        prepared.headers["Accept"] = accept
        return prepared

    @asynccontextmanager
    async def _answer(self, prepared: Prepared, timeout: httpx2.Timeout, tries: int) -> AsyncIterator[httpx2.Response]:
        """A successful answer, whose body is still to come; `Cut` when it is none."""
        settings, chance = self._transport.settings, self._transport._chance  # noqa: SLF001 # waits as its requests do
        async with self._transport.http.stream(
            prepared.method,
            prepared.url,
            headers=prepared.headers,
            content=prepared.content,
            params=prepared.params or None,
            timeout=timeout,
        ) as response:
            what = f"{prepared.method} {prepared.path}"
            settings.logger.info("%s answered %s, request %s", what, response.status_code, request_id_of(response))
            if not response.is_success:
                await response.aread()
                problem = error_of(response, chance.now())
                raise Cut(problem, wait_after(response, tries, chance, problem.code))
            yield response
