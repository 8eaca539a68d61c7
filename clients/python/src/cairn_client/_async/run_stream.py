"""Runs as they go on."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from cairn_client._async.streaming import AsyncStreaming
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types.run_events import RunAnswered, RunEvent, RunRequested, RunText, run_event_of

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport
    from cairn_client._sse import Message


class AsyncRunStream(AsyncStreaming[RunEvent]):
    """A run as it goes on, up to its answer: steps, and in between what the model says.

    When the connection is cut it is made again, behind the last step: none is left out, none comes twice. Ends behind
    the answer. Use it in an `async with` block, or `close()` it, so that its connection ends when you have heard
    enough; that does not stop the run:

        async with client.chat.stream("count words", user="ada", org="acme") as events:
            async for event in events:
                if isinstance(event, RunText):
                    print(event.text, end="")

    Raises:
        APIError: 404 `not_found/run`: also when its workspace is erased meanwhile.
        AuthenticationError: the key was revoked, or may not do this any more.
        CacheUnavailableError: so many connections in a row brought nothing as `max_retries` allows.

    """

    def __init__(
        self,
        transport: AsyncTransport,
        *,
        run_id: str | None = None,
        after: str | None = None,
        body: dict[str, str | int] | None = None,
        options: CallOptions,
    ) -> None:
        super().__init__(transport, options)
        self._run = run_id
        self._last = after
        self._body = body
        # asked for again, it is the same run
        self._key = options.get("idempotency_key") or str(uuid.uuid4())
        self._heard = (0, "")

    def _request(self) -> Request:
        if self._run is None:
            options: CallOptions = {**self._options, "idempotency_key": self._key}
            return Request("POST", "/api/agent-chat", self._body, options=options)
        headers = {} if self._last is None else {"Last-Event-ID": self._last}
        return Request("GET", path_of("api", "runs", self._run), options=self._options, headers=headers)

    def _read(self, message: Message) -> RunEvent | None:
        event = run_event_of(message.event, message.data, message.id)
        if isinstance(event, RunText):
            return self._news(event)
        if message.id:
            self._last = message.id
        if isinstance(event, RunRequested):
            self._run = event.run_id
        if isinstance(event, RunAnswered):
            self._over = True
        return event

    def _news(self, piece: RunText) -> RunText | None:
        """What of a piece was not given yet: over a new connection a turn is said from its beginning."""
        turn, before = self._heard
        if piece.offset > 0:
            self._heard = (piece.turn, before + piece.text)
            return piece
        self._heard = (piece.turn, piece.text)
        if turn != piece.turn or not before or not piece.text.startswith(before):
            return piece
        rest = piece.text.removeprefix(before)
        offset = len(before.encode("utf-16-le", "surrogatepass")) // 2
        return piece.model_copy(update={"text": rest, "offset": offset}) if rest else None
