"""Chats of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from cairn_client._request import CallOptions, Request
from cairn_client._settings import CHAT_TIMEOUT
from cairn_client.types import ChatResponse

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport


class AsyncChatting:
    """Chat, which the client and its `workspaces` have alike."""

    _transport: AsyncTransport

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

        It gets ten minutes, unless the client or the call was given a `timeout`. Sent again after a lost connection, it
        joins the run that is under way. A run that failed is no error: it has `success` false, and its files are saved.

        Args:
            query: the task or question.
            user: with `org` the name of the workspace: the same pair finds its files again.
            org: any text; it need not be your organization.
            model: `sonnet`, `opus`, `haiku`, `local` (no language model), or a model's full id.
            max_turns: the agent's turns at most, 1 to 100.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = {"user_query": query, "user_id": user, "org_id": org, "model": model, "max_turns": max_turns}
        request = Request("POST", "/api/agent-chat", body, options=options, usual_timeout=CHAT_TIMEOUT)
        return await self._transport.ask(request, ChatResponse)
