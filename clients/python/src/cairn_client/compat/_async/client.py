"""The existing clients' low-level client, under its names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from cairn_client._async.transport import AsyncTransport
from cairn_client._pools import AsyncPools
from cairn_client._request import Request
from cairn_client._settings import CHAT_TIMEOUT, TIMEOUT, Overrides, Settings
from cairn_client.compat._async.retrieve import AsyncRetrieving
from cairn_client.compat._async.runs import AsyncRecording
from cairn_client.compat._async.store import AsyncStoring
from cairn_client.compat.exceptions import as_before
from cairn_client.compat.types import AnyResult, BrowsePublicResponse, ChatResponse, JsonDict, SearchPublicResponse
from cairn_client.errors import ServiceError
from cairn_client.types.model import Result

if TYPE_CHECKING:
    from types import TracebackType

    import httpx2

    from cairn_client.compat.types import SnipsDesired

R = TypeVar("R", bound=Result)

TRACKING_TIMEOUT = 5.0
"""Seconds that the record of a tracked call may hold up its caller."""


class AsyncRaySurfer(AsyncStoring, AsyncRecording, AsyncRetrieving):
    """The existing low-level client, over this library's connections and retries.

    `api_key` and `base_url` come from `CAIRN_API_KEY` and `CAIRN_BASE_URL` unless given, else from `RAYSURFER_API_KEY`
    and `RAYSURFER_BASE_URL`; by default, the service is at http://127.0.0.1:8080.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = TIMEOUT,
        organization_id: str | None = None,
        workspace_id: str | None = None,
        snips_desired: SnipsDesired | Literal["company", "client"] | None = None,
        public_snips: bool = False,
        agent_id: str | None = None,
        *,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        def environment(name: str) -> str | None:
            return os.environ.get(f"CAIRN_{name}") or os.environ.get(f"RAYSURFER_{name}")

        settings = Settings.of(
            api_key=api_key or environment("API_KEY"),
            base_url=base_url or environment("BASE_URL"),
            timeout=timeout,
            organization_id=organization_id or None,  # empty was as good as none there
            workspace_id=workspace_id or None,
            snips_desired=snips_desired,
            public_snips=public_snips,
            agent_id=agent_id or None,
        )
        self._transport = AsyncTransport(settings, AsyncPools(http_client))
        self._owned = http_client is None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._transport.settings.base_url!r})"

    def for_tracking(self, workspace_id: str | None = None, *, apart: bool = False) -> Self:
        """A copy that gives up soon, for what must not hold up its caller; `apart`: over connections of its own."""
        client = type(self).__new__(type(self))
        overrides = Overrides(timeout=TRACKING_TIMEOUT, max_retries=0)
        if workspace_id is not None:
            overrides["workspace_id"] = workspace_id
        if apart and self._owned:
            client._transport = AsyncTransport(self._transport.settings.with_(overrides), AsyncPools())  # noqa: SLF001 # one of its own
            client._owned = True  # noqa: SLF001
        else:
            client._transport = self._transport.with_(overrides)  # noqa: SLF001
            client._owned = False  # noqa: SLF001
        return client

    async def close(self) -> None:
        """Closes the connections."""
        if self._owned:
            await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _ask(self, request: Request, model: type[R]) -> R:
        try:
            return await self._transport.ask(request, model)
        except ServiceError as error:
            same = as_before(error)
            if same is error:
                raise
            raise same from error

    async def chat(self, query: str, *, user: str, org: str, model: str = "sonnet", max_turns: int = 8) -> ChatResponse:
        """Gives the agent a task in the workspace of (org, user)."""
        body = {"user_query": query, "user_id": user, "org_id": org, "model": model, "max_turns": max_turns}
        return await self._ask(Request("POST", "/api/agent-chat", body, usual_timeout=CHAT_TIMEOUT), ChatResponse)

    async def browse_public(
        self, limit: int = 20, offset: int = 0, sort_by: str = "upvoted", language: str | None = None
    ) -> BrowsePublicResponse:
        """Pages through the public snippets. Needs no key."""
        body = {"limit": limit, "offset": offset, "sort_by": sort_by, "language": language}
        return await self._ask(Request("POST", "/api/snippets/public/list", body, open=True), BrowsePublicResponse)

    async def search_public(self, query: str, limit: int = 20, language: str | None = None) -> SearchPublicResponse:
        """Searches the public snippets. Needs no key."""
        body = {"query": query, "limit": limit, "language": language}
        return await self._ask(Request("POST", "/api/snippets/public/search", body, open=True), SearchPublicResponse)

    async def heartbeat(
        self,
        agent_id: str,
        *,
        agent_name: str | None = None,
        status: str = "running",
        current_task: str | None = None,
        cpu_percent: float | None = None,
        memory_percent: float | None = None,
        metadata: JsonDict | None = None,
    ) -> JsonDict:
        """Says that an agent is alive. A service that keeps no such list answers 404, an `APIError`."""
        body = {
            "agent_id": agent_id,
            "status": status,
            "agent_name": agent_name,
            "current_task": current_task,
            "cpu_percent": cpu_percent,
            "memory_percent": memory_percent,
            "metadata": metadata,
        }
        return (await self._ask(Request("POST", "/api/agents/heartbeat", body), AnyResult)).model_dump()
