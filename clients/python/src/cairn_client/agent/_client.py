"""Sessions of the agent SDK that start from proven code."""

from __future__ import annotations

from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from cairn_client._async.client import AsyncCairn
from cairn_client.agent._hooks import HookOptions, Observer
from cairn_client.agent._sdk import require_sdk

if TYPE_CHECKING:
    import logging
    import os
    from collections.abc import AsyncIterable, AsyncIterator, Callable
    from types import TracebackType

    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Message

    from cairn_client import Cairn
    from cairn_client.agent._session import SessionReport


def _with_hooks(options: ClaudeAgentOptions, observer: Observer) -> ClaudeAgentOptions:
    """The caller's own hooks, then ours."""
    hooks: Any = dict(options.hooks or {})
    for event, matchers in observer.hooks().items():
        hooks[event] = [*hooks.get(event, []), *matchers]
    return replace(options, hooks=hooks)


async def _noted(message: Message, observer: Observer) -> None:
    """A message was received: what follows from a result is sent, so that a program may end with it."""
    from claude_agent_sdk import ResultMessage

    if isinstance(message, ResultMessage):
        # a failed model call ends as `success`, too, but as an error
        await observer.result(message.session_id, not message.is_error and message.subtype == "success")


class CairnAgent:
    """An agent that starts from proven code: the agent SDK's `ClaudeSDKClient` with Cairn's hooks.

    For each prompt snippets are searched and offered to the model as files, and after each success, and only then, what
    it wrote is uploaded and what it used voted on. One session in one process, with as many turns as it is asked for. A
    service that does not answer costs a warning, never the session.

        async with CairnAgent(ClaudeAgentOptions(allowed_tools=["Read", "Write", "Bash"])) as agent:
            await agent.query("Count the words of notes.txt")
            async for message in agent.receive_response():
                print(message)

    Args:
        options: the agent SDK's: tools, system prompt, model, folder, hooks of your own.
        workspace_id: a customer's own snippets; instead of the client's.
        debug: logs what is offered and delivered, to stderr unless logging is set up.
        client: searches, uploads and votes. Unless given, one by the environment (`CAIRN_API_KEY`, `CAIRN_BASE_URL`),
            closed with the session.
        cache_dir: the folder for offered files. Unless given, a new temporary one, removed with the session. In
            a folder of yours only files that the session wrote are replaced.
        public: whether everybody may find what is uploaded; the service refuses files with secrets.
        logger: where warnings go, else `cairn_client.agent`.
        on_report: hears of each success, after its files and votes were sent.

    Raises:
        ImportError: `claude-agent-sdk` is not installed.
        ValidationError: an option of the client is wrong; `field` names it.

    """

    client: Cairn | AsyncCairn
    """The client that searches, uploads and votes."""
    sdk: ClaudeSDKClient
    """The agent SDK's client, with all that it can do besides. Take messages from here: its own end in no upload."""

    def __init__(
        self,
        options: ClaudeAgentOptions | None = None,
        workspace_id: str | None = None,
        debug: bool = False,
        client: Cairn | AsyncCairn | None = None,
        *,
        cache_dir: str | os.PathLike[str] | None = None,
        public: bool = False,
        logger: logging.Logger | None = None,
        on_report: Callable[[SessionReport], object] | None = None,
    ) -> None:
        require_sdk()
        from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

        given = options or ClaudeAgentOptions()
        self._owned = AsyncCairn(workspace_id=workspace_id) if client is None else None
        if self._owned is not None:
            self.client = self._owned
        elif client is not None:
            self.client = client if workspace_id is None else client.with_options(workspace_id=workspace_id)
        told = HookOptions(cache_dir, public, logger, debug, given.env, on_report)
        self._observer = Observer(self.client, told, "result")
        self.sdk = ClaudeSDKClient(_with_hooks(given, self._observer))

    async def connect(self, prompt: str | AsyncIterable[dict[str, Any]] | None = None) -> None:
        """Starts the session. `async with` does so, too."""
        await self.sdk.connect(prompt)

    async def query(self, prompt: str | AsyncIterable[dict[str, Any]], session_id: str = "default") -> None:
        """Sends a prompt. Its answer comes from `receive_response`.

        Args:
            prompt: what the agent is asked, or messages as the agent SDK has them.
            session_id: tells several conversations over one connection apart.

        """
        await self.sdk.query(prompt, session_id)

    async def receive_messages(self) -> AsyncIterator[Message]:
        """All messages of the session. A result comes once its files and votes were sent."""
        messages: Any = self.sdk.receive_messages()
        # it goes on after a turn's end, and trio warns of a generator that is left
        async with aclosing(messages):
            async for message in messages:
                await _noted(message, self._observer)
                yield message

    async def receive_response(self) -> AsyncIterator[Message]:
        """The messages of one turn, the result last. It comes once its files and votes were sent."""
        from claude_agent_sdk import ResultMessage

        messages: Any = self.receive_messages()
        async with aclosing(messages):
            async for message in messages:
                yield message
                if isinstance(message, ResultMessage):
                    return

    async def interrupt(self) -> None:
        """Stops the turn that is under way. It is no success."""
        await self.sdk.interrupt()

    async def disconnect(self) -> None:
        """Ends the session and its process, and removes its cache folder unless it is the caller's."""
        async with AsyncExitStack() as ends:
            if self._owned is not None:
                ends.push_async_callback(self._owned.close)
            ends.callback(self._observer.close)
            await self.sdk.disconnect()

    async def __aenter__(self) -> Self:
        try:
            await self.connect()
        except BaseException:
            await self.disconnect()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.disconnect()


async def query(
    prompt: str | AsyncIterable[dict[str, Any]],
    options: ClaudeAgentOptions | None = None,
    *,
    workspace_id: str | None = None,
    debug: bool = False,
    client: Cairn | AsyncCairn | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    public: bool = False,
    logger: logging.Logger | None = None,
    on_report: Callable[[SessionReport], object] | None = None,
) -> AsyncIterator[Message]:
    """One session, as the agent SDK's `query` starts it, with what `CairnAgent` does.

    After a result that is an error it raises the agent SDK's `ProcessError`, as that one does.

    Args:
        prompt: what the agent is asked, or messages as the agent SDK has them: then there are as many turns.
        options: the agent SDK's: tools, system prompt, model, folder, hooks of your own.
        workspace_id: a customer's own snippets; instead of the client's.
        debug: logs what is offered and delivered, to stderr unless logging is set up.
        client: searches, uploads and votes. Unless given, one by the environment (`CAIRN_API_KEY`, `CAIRN_BASE_URL`),
            closed with the session.
        cache_dir: the folder for offered files. Unless given, a new temporary one, removed with the session. In
            a folder of yours only files that the session wrote are replaced.
        public: whether everybody may find what is uploaded; the service refuses files with secrets.
        logger: where warnings go, else `cairn_client.agent`.
        on_report: hears of each success, after its files and votes were sent.

    Raises:
        ImportError: `claude-agent-sdk` is not installed.
        ValidationError: an option of the client is wrong; `field` names it.

    """
    require_sdk()
    from claude_agent_sdk import ClaudeAgentOptions
    from claude_agent_sdk import query as sdk_query

    given = options or ClaudeAgentOptions()
    async with AsyncExitStack() as ends:
        if client is None:
            used: Cairn | AsyncCairn = await ends.enter_async_context(AsyncCairn(workspace_id=workspace_id))
        else:
            used = client if workspace_id is None else client.with_options(workspace_id=workspace_id)
        told = HookOptions(cache_dir, public, logger, debug, given.env, on_report)
        observer = Observer(used, told, "result")
        ends.callback(observer.close)
        messages: Any = sdk_query(prompt=prompt, options=_with_hooks(given, observer))
        ends.push_async_callback(messages.aclose)
        async for message in messages:
            await _noted(message, observer)
            yield message
