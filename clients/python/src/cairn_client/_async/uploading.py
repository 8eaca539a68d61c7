"""Snippets: a file stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from cairn_client._bodies import file_written as file_body
from cairn_client._bodies import mapping, tags_of, used, word
from cairn_client._request import CallOptions, Request
from cairn_client.types import SubmitExecutionResultResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cairn_client._async.transport import AsyncTransport
    from cairn_client.types import CachedCodeBlock, FileWritten, FileWrittenDict, VoteSource


class AsyncUploading:
    """Upload, which the client and its `snippets` have alike."""

    _transport: AsyncTransport

    async def upload(
        self,
        task: str,
        file_written: FileWritten | FileWrittenDict,
        succeeded: bool,
        *,
        use_service_ai_voting: bool = True,
        user_vote: Literal[1, -1] | None = None,
        vote_source: VoteSource | Literal["ai", "human"] | None = None,
        vote_count: int | None = 1,
        execution_logs: str | None = None,
        dependencies: Mapping[str, str] | None = None,
        per_function_reputation: bool = False,
        cached_code_blocks: Sequence[CachedCodeBlock] | None = None,
        tags: Sequence[str] | None = None,
        public: bool = False,
        run_url: str | None = None,
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> SubmitExecutionResultResponse:
        """Stores a file that a task produced. The same code again adds its task and vote to the one snippet.

        Args:
            task: what the run was for, at most 100,000 characters.
            file_written: the file, as `FileWritten` or `{"path": …, "content": …}`: at most 1 MiB.
            succeeded: whether the run did what it was for; a failed one is worth storing too.
            use_service_ai_voting: lets the service's model grade the file; ignored with `user_vote`.
            user_vote: your own vote, 1 or -1, in place of the grading.
            vote_source: who gives `user_vote`. Default: `human`, but `ai` with a client that has an `agent_id`.
            vote_count: how often the vote counts, 1 to 100.
            execution_logs: what the run printed; helps the grader and is searchable.
            dependencies: package name to version; `""` for any.
            per_function_reputation: keeps score of each function.
            cached_code_blocks: snippets that the run used, which get its vote: `[{"code_block_id": …}]`.
            tags: words to find it by.
            public: lets everybody find it.
            run_url: where the run is to be seen; taken, and not kept.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ValidationError: an argument is wrong or out of range; `validation/secret_found`: `public`, and it holds a
                secret.

        """
        body = {
            "task": task,
            "file_written": file_body(file_written),
            "succeeded": succeeded,
            "use_service_ai_voting": use_service_ai_voting,
            "user_vote": user_vote,
            "vote_source": word(vote_source),
            "vote_count": vote_count,
            "execution_logs": execution_logs,
            "dependencies": mapping(dependencies, "dependencies"),
            "per_function_reputation": per_function_reputation or None,
            "cached_code_blocks": used(cached_code_blocks),
            "tags": tags_of(tags),
            "public": public or None,
            "run_url": run_url,
        }
        request = Request("POST", "/api/store/execution-result", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, SubmitExecutionResultResponse)
