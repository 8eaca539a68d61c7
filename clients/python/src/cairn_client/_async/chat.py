"""Gives the agent a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from cairn_client._async.run_stream import AsyncRunStream
from cairn_client._chat_body import chat_body
from cairn_client._request import CallOptions, Request
from cairn_client._settings import CHAT_TIMEOUT
from cairn_client.types import ChatResponse

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport


class AsyncChat:
    """`chat(…)` waits for the end of a task; `chat.stream(…)` tells it as it goes on."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def __call__(
        self,
        query: str,
        *,
        user: str,
        org: str,
        model: str = "sonnet",
        max_turns: int = 8,
        memory: bool = False,
        **options: Unpack[CallOptions],
    ) -> ChatResponse:
        """Gives the agent a task in the workspace of (org, user), whose files last from one call to the next.

        It gets ten minutes, unless the client or the call was given a `timeout`. Sent again after a lost connection, it
        joins the run that is under way. A run that failed is no error: it has `success` false, and its files are saved.

        Args:
            query: the task or question.
            user: with `org` the name of the workspace: the same pair finds its files again.
            org: any text; it need not be your organization.
            model: `sonnet`, `opus`, `haiku`, `local` (no language model), or a model's full id.
            max_turns: the agent's turns at most, 1 to 100.
            memory: whether the agent is told what earlier chats with memory came to, from `.cairn/memory.md` in the
                workspace, and that file goes on with this one.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = chat_body(query, user, org, model, max_turns, memory)
        request = Request("POST", "/api/agent-chat", body, options=options, usual_timeout=CHAT_TIMEOUT)
        return await self._transport.ask(request, ChatResponse)

    def stream(
        self,
        query: str,
        *,
        user: str,
        org: str,
        model: str = "sonnet",
        max_turns: int = 8,
        memory: bool = False,
        **options: Unpack[CallOptions],
    ) -> AsyncRunStream:
        """The same, told as it goes on, up to the answer: `async with client.chat.stream(…) as events`.

        `runs.stream` tells it of a run that is there. A `timeout` below 45 s counts as 45 s, since the service is
        silent for up to 15 s.

        Args:
            query: the task or question.
            user: with `org` the name of the workspace: the same pair finds its files again.
            org: any text; it need not be your organization.
            model: `sonnet`, `opus`, `haiku`, `local` (no language model), or a model's full id.
            max_turns: the agent's turns at most, 1 to 100.
            memory: whether the agent is told what earlier chats with memory came to, from `.cairn/memory.md` in the
                workspace, and that file goes on with this one.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of each connection.

        """
        body = chat_body(query, user, org, model, max_turns, memory)
        return AsyncRunStream(self._transport, body=body, options=options)
