"""Chats, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from cairn_client._async.raw import AsyncRunsWithRawResponse
from cairn_client._async.run_stream import AsyncRunStream
from cairn_client._chat_body import chat_body
from cairn_client._request import LATER, CallOptions, Request, path_of
from cairn_client.types import CancelResponse, Run, RunList, StartedRun, ToldTurn, TurnList

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport


class AsyncRuns:
    """Chats, one by one.

    A `run_id` is that of `start` or `list`; a chat's `session_id`. What is not there is an `APIError` 404:
    `not_found/run` or `not_found/workspace`.
    """

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncRunsWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncRunsWithRawResponse(self)

    async def start(
        self,
        query: str,
        *,
        user: str,
        org: str,
        model: str = "sonnet",
        max_turns: int = 8,
        memory: bool = False,
        **options: Unpack[CallOptions],
    ) -> StartedRun:
        """Asks for what `chat` asks for, and waits for nothing: `get` tells how far it is, and has the answer at last.

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
        request = Request("POST", "/api/agent-chat", body, options=options, headers=LATER)
        return await self._transport.ask(request, StartedRun)

    async def get(self, run_id: str, **options: Unpack[CallOptions]) -> Run:
        """How far a chat is, and its answer when it has ended."""
        return await self._transport.ask(Request("GET", path_of("api", "runs", run_id), options=options), Run)

    def stream(self, run_id: str, *, after: str | None = None, **options: Unpack[CallOptions]) -> AsyncRunStream:
        """A chat as it goes on, up to its answer; of one that has ended all of it.

        A `timeout` below 45 s counts as 45 s, since the service is silent for up to 15 s.

        Args:
            run_id: that of `start` or `list`; a chat's `session_id`.
            after: only what came behind the event with this `id`.
            **options: `timeout`, `max_retries`, `extra_headers` of each connection.

        """
        return AsyncRunStream(self._transport, run_id=run_id, after=after, options=options)

    async def list(
        self, workspace_id: str, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> RunList:
        """A workspace's chats, the one asked for last first.

        Args:
            workspace_id: a chat's, or of `workspaces.list`.
            limit: at most so many, 1 to 1,000. Default: 1,000.
            cursor: the `next_cursor` of an answer, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "workspaces", workspace_id, "runs")
        request = Request("GET", path, query={"limit": limit, "cursor": cursor}, options=options)
        return await self._transport.ask(request, RunList)

    async def turns(self, run_id: str, **options: Unpack[CallOptions]) -> TurnList:
        """The turns of a chat, with the time, tokens and cost of each."""
        return await self._transport.ask(
            Request("GET", path_of("api", "runs", run_id, "turns"), options=options), TurnList
        )

    async def turn(self, run_id: str, turn: int, **options: Unpack[CallOptions]) -> ToldTurn:
        """What the model was told when it was asked for a turn.

        The system prompt, the tools, the task and the turns before, with the results of their tools. The files after it
        are `workspaces.tree` with `run` and `turn`. Raises `NotFoundError` `not_found/run` and `not_found/turn`.

        Args:
            run_id: that of `start` or `list`; a chat's `session_id`.
            turn: from 1.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "runs", run_id, "turns", str(turn))
        return await self._transport.ask(Request("GET", path, options=options), ToldTurn)

    async def cancel(self, run_id: str, **options: Unpack[CallOptions]) -> CancelResponse:
        """Stops a chat, also a command that it runs, and saves what was written as one commit.

        `chat` then gives `success` false, and says why. One that waits behind another chat of its workspace ends in its
        turn, without beginning. Raises `APIError` 404 `not_found/run`, and 409 `conflict/run_over`: it has ended, or
        was cancelled before.
        """
        path = path_of("api", "runs", run_id, "cancel")
        return await self._transport.ask(Request("POST", path, options=options), CancelResponse)
