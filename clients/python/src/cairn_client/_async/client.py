"""The client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self, Unpack

from cairn_client._async.pages import AsyncEvents
from cairn_client._async.raw import AsyncWithRawResponse
from cairn_client._async.resources import AsyncKeys, AsyncUploads, AsyncWorkspaces
from cairn_client._async.snippets import AsyncSnippets
from cairn_client._async.transport import AsyncTransport
from cairn_client._request import CallOptions, Request
from cairn_client._settings import CHAT_TIMEOUT, MAX_RETRIES, TIMEOUT, Overrides, Settings
from cairn_client.types import ChatResponse, EventsPage

if TYPE_CHECKING:
    import logging
    from types import TracebackType

    import httpx2

    from cairn_client.types import SnipsDesired


class AsyncCairn(AsyncSnippets):
    """Cairn's client.

    Args:
        api_key: the key; `CAIRN_API_KEY` unless given.
        base_url: where the service is; `CAIRN_BASE_URL` unless given, else http://127.0.0.1:8080.
        timeout: seconds for each step of a request (connect, send, wait for an answer); `None` for no limit.
        organization_id: the key's own organization; another one is refused.
        workspace_id: a customer's own snippets, besides the organization's.
        snips_desired: `client`: only the workspace's snippets; `company`: only the organization's.
        public_snips: finds public snippets of others too.
        agent_id: narrows to this agent's snippets and those of no agent; uploads are this agent's.
        max_retries: how often a request is sent again after 408, 409, 429, 5xx and when no answer came.
        http_client: connections of your own (proxies, certificates, tests); you close them.
        logger: takes what the client logs; else `cairn_client`, at the level that `CAIRN_LOG` names.

    """

    keys: AsyncKeys
    workspaces: AsyncWorkspaces
    uploads: AsyncUploads

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float | None = TIMEOUT,
        organization_id: str | None = None,
        workspace_id: str | None = None,
        snips_desired: SnipsDesired | Literal["company", "client"] | None = None,
        public_snips: bool = False,
        agent_id: str | None = None,
        max_retries: int = MAX_RETRIES,
        http_client: httpx2.AsyncClient | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        settings = Settings.of(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            organization_id=organization_id,
            workspace_id=workspace_id,
            snips_desired=snips_desired,
            public_snips=public_snips,
            agent_id=agent_id,
            max_retries=max_retries,
            logger=logger,
        )
        self._begin(AsyncTransport(settings, http_client), owned=http_client is None)

    def _begin(self, transport: AsyncTransport, *, owned: bool) -> None:
        self._transport = transport
        self._owned = owned
        self.keys = AsyncKeys(transport)
        self.workspaces = AsyncWorkspaces(transport)
        self.uploads = AsyncUploads(transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._transport.settings.base_url!r})"

    @classmethod
    def _over(cls, transport: AsyncTransport) -> Self:
        client = cls.__new__(cls)
        client._begin(transport, owned=False)  # noqa: SLF001 # one of its own
        return client

    def with_options(self, *, http_client: httpx2.AsyncClient | None = None, **overrides: Unpack[Overrides]) -> Self:
        """A copy with other options, over the same connections unless it gets others. Closing it closes nothing."""
        return self._over(self._transport.with_(overrides, http_client))

    @property
    def with_raw_response(self) -> AsyncWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncWithRawResponse(self)

    async def chat(
        self,
        query: str,
        *,
        user: str,
        org: str,
        model: str = "sonnet",
        max_turns: int = 8,
        **options: Unpack[CallOptions],
    ) -> ChatResponse:
        """Gives the agent a task in the workspace of (org, user), whose files last from one call to the next.

        It gets ten minutes, or the client's `timeout` when that is longer, unless the call says otherwise. Sent again
        after a lost connection, it joins the run that is under way.

        Args:
            query: the task or question.
            user: scopes the workspace.
            org: scopes the workspace.
            model: `sonnet`, `opus`, `haiku`, `local` (no language model), or a model's full id.
            max_turns: the agent's turns at most, 1 to 100.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = {"user_query": query, "user_id": user, "org_id": org, "model": model, "max_turns": max_turns}
        request = Request("POST", "/api/agent-chat", body, options=options, shortest_timeout=CHAT_TIMEOUT)
        return await self._transport.ask(request, ChatResponse)

    def events(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        type: str | None = None,
        stream: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncEvents:
        """What happened in the organization, oldest first, for its owners and admins: `async for event in …`.

        Args:
            after: only events after this position.
            limit: events a page (1 to 1000, else 100); the loop goes on to the next page by itself.
            type: only events of this type, such as `VoteCast`.
            stream: only events of this stream.
            **options: `timeout`, `max_retries`, `extra_headers` of each request.

        """

        async def fetch(position: str | None) -> EventsPage:
            query = {"after": position, "limit": limit, "type": type, "stream": stream}
            return await self._transport.ask(Request("GET", "/api/events", query=query, options=options), EventsPage)

        return AsyncEvents(fetch, after)

    async def close(self) -> None:
        """Closes the connections, unless they are somebody else's."""
        if self._owned:
            await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
