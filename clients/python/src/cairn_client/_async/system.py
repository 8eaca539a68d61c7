"""How the service is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from cairn_client._request import CallOptions, Request
from cairn_client.types import Health, ModelList, Readiness

if TYPE_CHECKING:
    import httpx2

    from cairn_client._async.transport import AsyncTransport


def _is_report(response: httpx2.Response) -> bool:
    """A 503 with a report is what was asked for; any other comes from somebody in between."""
    return response.status_code == 503 and b'"read_models"' in response.content


class AsyncSystem:
    """How the service is, and what it has."""

    _transport: AsyncTransport

    async def health(self, **options: Unpack[CallOptions]) -> Health:
        """Whether the service's process answers. Needs no API key."""
        return await self._transport.ask(Request("GET", "/health", options=options, open=True), Health)

    async def ready(self, **options: Unpack[CallOptions]) -> Readiness:
        """Whether the service can answer everything: also one that is still starting gives a result.

        Needs no API key.
        """
        request = Request("GET", "/ready", options=options, open=True, accepts=_is_report)
        return await self._transport.ask(request, Readiness)

    async def models(self, **options: Unpack[CallOptions]) -> ModelList:
        """The models that `chat` may ask for."""
        return await self._transport.ask(Request("GET", "/api/models", options=options), ModelList)

    async def skill(self, **options: Unpack[CallOptions]) -> str:
        """The service described for agents, as Markdown. Needs no API key."""
        return (await self._transport.send(Request("GET", "/skill.md", options=options, open=True))).text
