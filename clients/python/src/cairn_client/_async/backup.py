"""A backup, piece by piece."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

import httpx2

from cairn_client._answers import unreachable
from cairn_client._async.taken import AsyncTaken
from cairn_client._event_streams import Cut, unreadable
from cairn_client._request import CallOptions, Request
from cairn_client._retries import backoff, may_pass
from cairn_client.errors import CacheUnavailableError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from cairn_client._async.transport import AsyncTransport
    from cairn_client._request import Prepared

USUAL_SILENCE = 600.0
"""Seconds in which nothing comes: the service reads all of a repository before it sends it."""


class AsyncBackup(AsyncTaken[bytes]):
    """A whole backup of the service as a tar, piece by piece, as it is made.

    It is sent once: what was cut can't be gone on with, and has no manifest at its end, which `cairn restore` sees. Use
    it in an `async with` block, or `close()` it, so that its connection ends with you:

        async with client.system.backup() as pieces:
            async for piece in pieces:
                file.write(piece)

    Raises:
        PermissionDeniedError: `permission/…`.
        ConflictError: `conflict/backup_running`.
        CacheUnavailableError: it was cut; what came is no backup.

    """

    def __init__(self, transport: AsyncTransport, *, recipient: str | None, options: CallOptions) -> None:
        self._recipient = recipient
        self._options = options
        super().__init__(transport)

    def _request(self) -> Request:
        return Request(
            "GET",
            "/api/admin/backup",
            query={"recipient": self._recipient},
            options=self._options,
            usual_timeout=USUAL_SILENCE,
        )

    async def _all(self) -> AsyncGenerator[bytes, None]:
        tries = 0
        while True:
            prepared = self._prepared(self._request(), "application/x-tar")
            begun = False
            try:
                async with aclosing(self._connection(prepared, tries)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
            except Cut as cut:
                if begun or not await self._transport.waits(prepared, cut.why, tries, cut.wait):
                    raise cut.problem from cut.__cause__
                tries += 1
            else:
                return

    async def _connection(self, prepared: Prepared, tries: int) -> AsyncGenerator[bytes, None]:
        settings, chance = self._transport.settings, self._transport._chance  # noqa: SLF001
        what = f"{prepared.method} {prepared.path}"
        begun = False
        try:
            async with self._answer(prepared, prepared.timeout, tries) as response:
                if not response.headers.get("content-type", "").startswith("application/x-tar"):
                    raise Cut(unreadable(response, what, "what is no archive"), None)
                # a generator, also where its type does not say so
                async with aclosing(response.aiter_bytes()) as pieces:  # type: ignore[type-var,unused-ignore]
                    async for piece in pieces:
                        begun = True
                        yield piece
        except httpx2.RequestError as failure:
            if begun:
                cut = CacheUnavailableError(f"{what} was cut: {type(failure).__name__}. What came is no backup")
                raise Cut(cut, None) from failure
            wait = backoff(tries, chance) if may_pass(failure) else None
            raise Cut(unreachable(settings.base_url, failure, tries + 1), wait) from failure
