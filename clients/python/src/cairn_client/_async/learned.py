"""Runs of code, and what the store has learned from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

from cairn_client._async import raw
from cairn_client._bodies import json_type, word
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import (
    AutoReviewResponse,
    ExecutionState,
    FewShotExamples,
    RetrieveExecutionsResponse,
    SearchLogsResponse,
    StoreExecutionResponse,
    TaskPatterns,
)

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport
    from cairn_client.types import AgentReview, AgentVerdict

    State = ExecutionState | Literal["completed", "errored", "timed_out", "cancelled"]
    Verdict = AgentVerdict | Literal["thumbs_up", "thumbs_down", "pending"]


class AsyncExecutions:
    """Runs of code, and what was said of them."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> raw.AsyncExecutionsWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return raw.AsyncExecutionsWithRawResponse(self)

    async def record(
        self,
        code_block_id: str,
        triggering_task: str,
        input_data: Any,
        output_data: Any,
        *,
        execution_state: State = ExecutionState.COMPLETED,
        duration_ms: int = 0,
        error_message: str | None = None,
        error_type: str | None = None,
        verdict: Verdict | None = None,
        review: AgentReview | None = None,
        **options: Unpack[CallOptions],
    ) -> StoreExecutionResponse:
        """Records a run of a snippet, or of any named code.

        Args:
            code_block_id: a snippet's id or name, or `function_registry:<name>`; a name that nothing stored has is
                recorded as it is, an id that nothing has is a `NotFoundError`.
            triggering_task: what it was run for.
            input_data: what it took: JSON, with `output_data` at most 1 MiB.
            output_data: what it gave: JSON.
            execution_state: how it ended.
            duration_ms: milliseconds.
            error_message: what went wrong.
            error_type: the kind of error, such as `TypeError`; at most 1,000 characters.
            verdict: counts as a vote on a stored snippet.
            review: what was thought of it, at length.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = {
            "code_block_id": code_block_id,
            "triggering_task": triggering_task,
            "io": {"input_data": input_data, "output_data": output_data, "output_type": json_type(output_data)},
            "execution_state": word(execution_state),
            "duration_ms": duration_ms,
            "error_message": error_message,
            "error_type": error_type,
            "verdict": word(verdict),
            "review": None if review is None else review.model_dump(mode="json"),
        }
        request = Request("POST", "/api/store/execution", body, options=options)
        return await self._transport.ask(request, StoreExecutionResponse)

    async def list(
        self,
        *,
        code_block_id: str | None = None,
        task: str | None = None,
        verdict: Verdict | None = None,
        limit: int = 20,
        **options: Unpack[CallOptions],
    ) -> RetrieveExecutionsResponse:
        """Recorded runs, newest first.

        Args:
            code_block_id: only those of this snippet: its id or name, or `function_registry:<name>`.
            task: runs of similar tasks, the most alike first.
            verdict: only those with this verdict.
            limit: at most so many, 1 to 100.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        body = {"code_block_id": code_block_id, "task": task, "verdict": word(verdict), "limit": limit}
        request = Request("POST", "/api/retrieve/executions", body, options=options)
        return await self._transport.ask(request, RetrieveExecutionsResponse)

    async def review(
        self,
        execution_id: str,
        *,
        triggering_task: str | None = None,
        execution_state: State | None = None,
        input_data: Any = None,
        output_data: Any = None,
        code_block_name: str | None = None,
        code_block_description: str | None = None,
        error_message: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AutoReviewResponse:
        """Lets the service's model review a recorded run, once: the same review is answered again.

        `execution_id` is what `record` answered. The others stand in for what was recorded: `triggering_task`,
        `execution_state`, `input_data` and `output_data` (any JSON), `error_message`, `code_block_name` and
        `code_block_description`. Where no model can be asked, `success` is false and the verdict `pending`. Raises
        `NotFoundError` `not_found/execution`.
        """
        body = {
            "execution_id": execution_id,
            "triggering_task": triggering_task,
            "execution_state": word(execution_state),
            "input_data": input_data,
            "output_data": output_data,
            "code_block_name": code_block_name,
            "code_block_description": code_block_description,
            "error_message": error_message,
        }
        request = Request("POST", "/api/store/auto-review", body, options=options)
        return await self._transport.ask(request, AutoReviewResponse)


class AsyncPatterns:
    """What the store has learned."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> raw.AsyncPatternsWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return raw.AsyncPatternsWithRawResponse(self)

    async def list(
        self,
        *,
        task: str | None = None,
        code_block_id: str | None = None,
        min_thumbs_up: int = 0,
        top_k: int = 20,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> TaskPatterns:
        """Which snippet helped with which task.

        Args:
            task: patterns of similar tasks, the most alike first.
            code_block_id: only those of this snippet: its id or name.
            min_thumbs_up: only those that so many votes speak for.
            top_k: at most so many, 1 to 100.
            cursor: the `next_cursor` of an answer to the same request, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        body = {
            "task": task,
            "code_block_id": code_block_id,
            "min_thumbs_up": min_thumbs_up,
            "top_k": top_k,
            "cursor": cursor,
        }
        request = Request("POST", "/api/retrieve/task-patterns", body, options=options)
        return await self._transport.ask(request, TaskPatterns)

    async def examples(self, task: str, *, k: int = 3, **options: Unpack[CallOptions]) -> FewShotExamples:
        """Examples for a model that is to write code: snippets that fit a task, with what they took and gave.

        `task` says what is to be done, in plain words; at most `k` of them, 1 to 100.
        """
        request = Request("POST", "/api/retrieve/few-shot-examples", {"task": task, "k": k}, options=options)
        return await self._transport.ask(request, FewShotExamples)


class AsyncFunctions:
    """What is known of single functions."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> raw.AsyncFunctionsWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return raw.AsyncFunctionsWithRawResponse(self)

    async def history(self, fingerprint: str, **options: Unpack[CallOptions]) -> str:
        """A function's history, as Markdown: its signature, votes, calls and errors, its snippets and latest runs.

        `fingerprint` is `fn_…`, as a search with `per_function_reputation` gives it. Raises `NotFoundError`
        `not_found/function` when no snippet of the scope holds it.
        """
        path = path_of("api", "functions", fingerprint)
        return (await self._transport.send(Request("GET", path, options=options))).text


class AsyncLogs:
    """What snippets printed when they ran."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> raw.AsyncLogsWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return raw.AsyncLogsWithRawResponse(self)

    async def search(
        self,
        query: str,
        *,
        limit: int = 20,
        offset: int = 0,
        cursor: str | None = None,
        code_block_id: str | None = None,
        language: str | None = None,
        days_back: int | None = None,
        **options: Unpack[CallOptions],
    ) -> SearchLogsResponse:
        """Searches what uploads and runs of snippets printed, best first; never that of public snippets of others.

        Args:
            query: any of its words is enough.
            limit: at most so many matches, 1 to 100.
            offset: how many matches are left out first, up to 1,000: for the next page.
            cursor: the `next_cursor` of an answer to the same request, to go on behind it whatever is written since;
                not beside `offset`.
            code_block_id: only logs of this snippet: its id or name.
            language: only logs of snippets in this programming language.
            days_back: only logs of the last so many days, 1 to 36,500.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        body = {
            "query": query,
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
            "code_block_id": code_block_id,
            "language": language,
            "days_back": days_back,
        }
        return await self._transport.ask(Request("POST", "/api/raw/search", body, options=options), SearchLogsResponse)
