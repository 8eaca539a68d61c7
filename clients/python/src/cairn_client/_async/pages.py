"""Events, a page at a time behind a plain loop."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from cairn_client.types import EventsPage, RecordedEvent


class AsyncEvents:
    """Events, oldest first: `async for event in client.events()`. Asks for the next page when one is used up.

    Each loop begins anew. A loop may end early: nothing has to be closed.
    """

    def __init__(self, fetch: Callable[[str | None], Awaitable[EventsPage]], after: str | None) -> None:
        self._fetch = fetch
        self._after = after

    def pages(self) -> AsyncIterator[EventsPage]:
        """The pages as the service answers them, until it has no more: to go on some other time after `next_after`."""
        return AsyncPages(self._fetch, self._after)

    def __aiter__(self) -> AsyncIterator[RecordedEvent]:
        return AsyncEach(self.pages())


# no generators: one that a loop leaves early has to be closed, which only some event loops do by themselves


class AsyncPages:
    """The pages from a position on."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[EventsPage]], after: str | None) -> None:
        self._fetch = fetch
        self._after = after
        self._ended = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> EventsPage:
        if not self._ended:
            page = await self._fetch(self._after)
            self._ended = not page.events or page.next_after == self._after
            self._after = page.next_after
            if page.events:
                return page
        raise StopAsyncIteration


class AsyncEach:
    """The events of some pages."""

    def __init__(self, pages: AsyncIterator[EventsPage]) -> None:
        self._pages = pages
        self._left: deque[RecordedEvent] = deque()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> RecordedEvent:
        while not self._left:
            page = await anext(self._pages)
            self._left.extend(page.events)
        return self._left.popleft()
