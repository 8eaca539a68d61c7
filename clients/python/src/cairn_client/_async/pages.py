"""Events, a page at a time behind a plain loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from cairn_client.types import EventsPage, RecordedEvent


class AsyncEvents:
    """Events, oldest first: `async for event in client.events()`. Asks for the next page when one is used up."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[EventsPage]], after: str | None) -> None:
        self._fetch = fetch
        self._after = after

    async def pages(self) -> AsyncIterator[EventsPage]:
        """The pages as the service answers them, until it has no more."""
        after = self._after
        while True:
            page = await self._fetch(after)
            if not page.events:
                return
            yield page
            if page.next_after == after:
                return
            after = page.next_after

    async def __aiter__(self) -> AsyncIterator[RecordedEvent]:
        async for page in self.pages():
            for event in page.events:
                yield event
