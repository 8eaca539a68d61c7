"""The client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self, Unpack

from cairn_client._async.chat import AsyncChat
from cairn_client._async.keys import AsyncKeys
from cairn_client._async.learned import AsyncExecutions, AsyncFunctions, AsyncLogs, AsyncPatterns
from cairn_client._async.organization import AsyncOrganization
from cairn_client._async.raw import AsyncWithRawResponse
from cairn_client._async.repos import AsyncRepos
from cairn_client._async.runs import AsyncRuns
from cairn_client._async.snippets import AsyncSnippets
from cairn_client._async.specified import AsyncSpecified
from cairn_client._async.store import AsyncSnippetStore
from cairn_client._async.system import AsyncServing, AsyncSystem
from cairn_client._async.transport import AsyncTransport
from cairn_client._async.uploading import AsyncUploading
from cairn_client._async.uploads import AsyncUploads
from cairn_client._async.users import AsyncUsers
from cairn_client._async.workspaces import AsyncWorkspaces
from cairn_client._pools import AsyncPools
from cairn_client._settings import MAX_RETRIES, TIMEOUT, Overrides, Settings

if TYPE_CHECKING:
    import logging
    from collections.abc import Mapping
    from types import TracebackType

    import httpx2

    from cairn_client.types import SnipsDesired


class AsyncCairn(AsyncSnippets, AsyncUploading, AsyncSpecified, AsyncServing):
    """Cairn's client: one for a program, shared by its threads, tasks and event loops.

    Close it, or use it in an `async with` block. Every option may be left out.

    Args:
        api_key: the key, `cairn_live_…`. Default: `CAIRN_API_KEY` of the environment.
        base_url: where the service is, `http(s)://host[:port][/path]`. Default: `CAIRN_BASE_URL` of the environment,
            else http://127.0.0.1:8080.
        timeout: seconds for each step of an attempt (connect, for which it has ten at most; send; wait for the next
            bytes), an `httpx2.Timeout`, or `None` for no limit. Default: 60, and 600 for `chat` and `backup`; one that
            is given here holds for these too.
        organization_id: the organization whose snippets are meant: the key's own, or the service refuses.
        workspace_id: a customer of the organization, whose snippets are kept apart. Needs the tier PRO or ENTERPRISE.
        snips_desired: `client`: only the workspace's snippets, which needs `workspace_id`; `company`: only the
            organization's. Default: both.
        public_snips: whether searches find public snippets of others too. Default: no.
        agent_id: the agent that asks: uploads are noted as its own, searches find its own and nobody's.
        max_retries: how often a request is sent again when that may help (after 408, 409, 429, 5xx, or without an
            answer), 0 or more. Default: 2.
        default_headers: sent with every request besides the client's own, in place of one of the same name, such as
            what a gateway asks for; `None` for a value takes that one away.
        http_client: connections of your own, for proxies, certificates or tests. You close them; their timeouts are not
            used.
        logger: takes what the client logs: never a key, never what a caller typed. Default: the logger `cairn_client`,
            at the level that `CAIRN_LOG` of the environment names (debug, info, warn, error, off).

    Raises:
        ValidationError: an option is wrong; `field` names it.
        TypeError: `http_client` is none.

    """

    chat: AsyncChat
    """Gives the agent a task: `chat(…)` waits for its end, `chat.stream(…)` tells it as it goes on."""
    keys: AsyncKeys
    """API keys of the organization, for its owners and admins."""
    organization: AsyncOrganization
    """The organization that the key is of."""
    users: AsyncUsers
    """The organization's people, for its owners and admins."""
    workspaces: AsyncWorkspaces
    """Chats of agents, and what they saved, as git history."""
    runs: AsyncRuns
    """Chats, one by one."""
    uploads: AsyncUploads
    """What became of uploads."""
    snippets: AsyncSnippetStore
    """All that can be done with snippets: also comments, pages of them, public ones."""
    repos: AsyncRepos
    """Snippets of several files."""
    executions: AsyncExecutions
    """Runs of code, and what was said of them."""
    patterns: AsyncPatterns
    """What the store has learned."""
    functions: AsyncFunctions
    """What is known of single functions."""
    logs: AsyncLogs
    """What snippets printed when they ran."""
    system: AsyncSystem
    """The service: how it is, what it has, and what happened in it."""

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | httpx2.URL | None = None,
        *,
        timeout: float | httpx2.Timeout | None = TIMEOUT,
        organization_id: str | None = None,
        workspace_id: str | None = None,
        snips_desired: SnipsDesired | Literal["company", "client"] | None = None,
        public_snips: bool = False,
        agent_id: str | None = None,
        max_retries: int = MAX_RETRIES,
        default_headers: Mapping[str, str | None] | None = None,
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
            default_headers=default_headers,
            logger=logger,
        )
        self._begin(AsyncTransport(settings, AsyncPools(http_client)), owned=http_client is None)

    def _begin(self, transport: AsyncTransport, *, owned: bool) -> None:
        self._transport = transport
        self._owned = owned
        self.chat = AsyncChat(transport)
        self.keys = AsyncKeys(transport)
        self.organization = AsyncOrganization(transport)
        self.users = AsyncUsers(transport)
        self.workspaces = AsyncWorkspaces(transport)
        self.runs = AsyncRuns(transport)
        self.uploads = AsyncUploads(transport)
        self.snippets = AsyncSnippetStore(transport)
        self.repos = AsyncRepos(transport)
        self.executions = AsyncExecutions(transport)
        self.patterns = AsyncPatterns(transport)
        self.functions = AsyncFunctions(transport)
        self.logs = AsyncLogs(transport)
        self.system = AsyncSystem(transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._transport.settings.base_url!r})"

    @classmethod
    def _over(cls, transport: AsyncTransport) -> Self:
        client = cls.__new__(cls)
        client._begin(transport, owned=False)  # noqa: SLF001 # one of its own
        return client

    def with_options(self, *, http_client: httpx2.AsyncClient | None = None, **overrides: Unpack[Overrides]) -> Self:
        """A copy with other options, which are the constructor's, over the same connections unless it gets others.

        Closing it closes nothing. It works as long as the connections are open.

        Args:
            http_client: other connections.
            **overrides: all other options of the constructor; what is left out is as here.

        """
        return self._over(self._transport.with_(overrides, http_client))

    @property
    def with_raw_response(self) -> AsyncWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncWithRawResponse(self)

    async def close(self) -> None:
        """Closes the connections, unless they are somebody else's."""
        if self._owned:
            await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
