"""Events as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn_client._async.streaming import AsyncStreaming
from cairn_client._request import CallOptions, Request
from cairn_client.types.events import RecordedEvent

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport
    from cairn_client._sse import Message


class AsyncEventStream(AsyncStreaming[RecordedEvent]):
    """The events of the organization as they come, for as long as they are taken.

    First those that are in the log already, then each new one within moments. When the connection is cut it is made
    again, behind the last event: none is left out, none comes twice. It never ends by itself. Use it in an `async with`
    block, or `close()` it, so that its connection ends when you have heard enough:

        async with client.event_stream(type="KeyRevoked") as events:
            async for event in events:
                print(event.position)

    Raises:
        AuthenticationError: the key was revoked, or may not do this any more.
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
        super().__init__(transport, options)
        self._filters = {"type": type, "stream": stream}
        self._after = after

    def _request(self) -> Request:
        query = {**self._filters, "after": self._after}
        return Request("GET", "/api/events/stream", query=query, options=self._options)

    def _read(self, message: Message) -> RecordedEvent:
        event = RecordedEvent.model_validate_json(message.data)
        self._after = event.position
        return event
