"""What became of uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from cairn_client._async.raw import AsyncUploadsWithRawResponse
from cairn_client._bodies import last_part
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import GradingStatus

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport


class AsyncUploads:
    """What became of uploads."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncUploadsWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncUploadsWithRawResponse(self)

    async def status(self, status: str, **options: Unpack[CallOptions]) -> GradingStatus:
        """How far a grading has come: `status` is an upload's `status_url`, or the id in it.

        Raises:
            NotFoundError: `not_found/status`: no such grading, or its snippets were deleted.

        """
        path = path_of("api", "store", "status", last_part(status))
        return await self._transport.ask(Request("GET", path, options=options), GradingStatus)
