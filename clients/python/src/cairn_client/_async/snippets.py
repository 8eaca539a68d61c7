"""The operations on the store of snippets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

import anyio.to_thread

from cairn_client._bodies import file_written as file_body
from cairn_client._bodies import files_written as file_bodies
from cairn_client._bodies import log_files as log_bodies
from cairn_client._bodies import mapping, tags_of, word
from cairn_client._code_files import code_files, write_code_files
from cairn_client._request import CallOptions, Request
from cairn_client.types import (
    BulkExecutionResultResponse,
    DeleteResponse,
    SearchResponse,
    SubmitExecutionResultResponse,
    VoteCodeSnipResponse,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from cairn_client._async.transport import AsyncTransport
    from cairn_client.types import (
        CachedCodeBlock,
        CodeFilesResponse,
        FileWritten,
        FileWrittenDict,
        LogFile,
        LogFileDict,
        VoteSource,
    )


class AsyncSnippets:
    """Search, upload, delete and vote."""

    _transport: AsyncTransport

    async def search(
        self,
        task: str,
        top_k: int = 5,
        min_verdict_score: float = 0.3,
        *,
        prefer_complete: bool = False,
        input_schema: Mapping[str, Any] | None = None,
        per_function_reputation: bool = False,
        min_human_upvotes: int = 0,
        result_type: Literal["any", "file", "repo"] = "any",
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> SearchResponse:
        """Finds snippets for a task, best first.

        Args:
            task: what the code should do, in plain words; one short sentence finds best, a long text is split.
            top_k: at most so many matches, 1 to 100.
            min_verdict_score: only snippets whose votes are worth at least this, 0 to 1; 0.5 is unvoted.
            prefer_complete: prefers longer, more complete code.
            input_schema: only code that takes these inputs (a JSON schema).
            per_function_reputation: each match gets `functions`, and a line above each function in its source.
            min_human_upvotes: only snippets that people voted up so often.
            result_type: files or repositories only.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = {
            "task": task,
            "top_k": top_k,
            "min_verdict_score": min_verdict_score,
            "min_human_upvotes": min_human_upvotes or None,
            "prefer_complete": prefer_complete,
            "input_schema": mapping(input_schema),
            "per_function_reputation": per_function_reputation or None,
            "result_type": None if result_type == "any" else result_type,
        }
        request = Request("POST", "/api/retrieve/search", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, SearchResponse)

    async def get_code_files(
        self,
        task: str,
        top_k: int = 5,
        min_verdict_score: float = 0.3,
        *,
        prefer_complete: bool = True,
        input_schema: Mapping[str, Any] | None = None,
        per_function_reputation: bool = True,
        cache_dir: str | os.PathLike[str] | None = None,
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> CodeFilesResponse:
        """Finds snippets as `search` does, as files with a text (`add_to_llm_prompt`) for a language model.

        With `cache_dir` they are written there, into that folder itself and nowhere else: a file whose name would leave
        it is left out with a warning, and links are not followed. Without it nothing is written.
        """
        found = await self.search(
            task,
            top_k,
            min_verdict_score,
            prefer_complete=prefer_complete,
            input_schema=input_schema,
            per_function_reputation=per_function_reputation,
            workspace_id=workspace_id,
            **options,
        )
        if cache_dir is None:
            return code_files(task, found)
        logger = self._transport.settings.logger
        return await anyio.to_thread.run_sync(write_code_files, task, found, cache_dir, logger)

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
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> SubmitExecutionResultResponse:
        """Stores a file that a task produced. The same code again adds its task and vote to the one snippet.

        Args:
            task: what the run was for.
            file_written: the file, as `FileWritten` or `{"path": …, "content": …}`.
            succeeded: whether the run did what it was for; a failed one is worth storing too.
            use_service_ai_voting: lets the service's model grade the file; ignored with `user_vote`.
            user_vote: your own vote, 1 or -1.
            vote_source: `human` with `user_vote`, else `ai`, unless told.
            vote_count: how often the vote counts, 1 to 100.
            execution_logs: what the run printed; helps the grader and is searchable.
            dependencies: package name to version.
            per_function_reputation: keeps score of each function.
            cached_code_blocks: snippets that the run used, which get its vote: `[{"code_block_id": …}]`.
            tags: words to find it by.
            public: shares it beyond your scope; refused when it holds a secret.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

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
            "dependencies": mapping(dependencies),
            "per_function_reputation": per_function_reputation or None,
            "cached_code_blocks": None if cached_code_blocks is None else [dict(one) for one in cached_code_blocks],
            "tags": tags_of(tags),
            "public": public or None,
        }
        request = Request("POST", "/api/store/execution-result", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, SubmitExecutionResultResponse)

    async def upload_bulk_code_snips(
        self,
        prompts: Sequence[str],
        files_written: Sequence[FileWritten | FileWrittenDict],
        log_files: Sequence[LogFile | LogFileDict] | None = None,
        *,
        use_service_ai_voting: bool = True,
        user_votes: Mapping[str, Literal[1, -1]] | None = None,
        vote_source: VoteSource | Literal["ai", "human"] | None = None,
        vote_count: int | None = 1,
        per_function_reputation: bool = False,
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> BulkExecutionResultResponse:
        """Stores up to 200 files of a session, checked as a whole before anything is stored.

        Args:
            prompts: what the user asked for, in order.
            files_written: the files, as they were at last.
            log_files: what was printed, in any format; `bytes` are sent as base64.
            use_service_ai_voting: lets the service's model grade the files; ignored with `user_votes`.
            user_votes: path (or unambiguous name) of a file to 1 or -1.
            vote_source: `human` with `user_votes`, else `ai`, unless told.
            vote_count: how often each vote counts, 1 to 100.
            per_function_reputation: keeps score of each function.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = {
            "prompts": list(prompts),
            "files_written": file_bodies(files_written),
            "log_files": log_bodies(log_files),
            "use_service_ai_voting": use_service_ai_voting,
            "user_votes": mapping(user_votes),
            "vote_source": word(vote_source),
            "vote_count": vote_count,
            "per_function_reputation": per_function_reputation or None,
        }
        path = "/api/store/bulk-execution-result"
        request = Request("POST", path, body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, BulkExecutionResultResponse)

    async def delete(
        self, snippet_id: str, *, workspace_id: str | None = None, **options: Unpack[CallOptions]
    ) -> DeleteResponse:
        """Deletes a snippet, by id or by a name that only one has, and everything that belongs to it."""
        body = {"snippet_id": snippet_id}
        request = Request("POST", "/api/snippets/delete", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, DeleteResponse)

    async def vote_code_snip(
        self,
        task: str,
        code_block_id: str,
        code_block_name: str | None = None,
        code_block_description: str | None = None,
        *,
        succeeded: bool,
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> VoteCodeSnipResponse:
        """Says whether a snippet helped with a task. Only `code_block_id` and `succeeded` decide anything."""
        body = {
            "task": task,
            "code_block_id": code_block_id,
            "code_block_name": code_block_name,
            "code_block_description": code_block_description,
            "succeeded": succeeded,
        }
        request = Request("POST", "/api/store/cache-usage", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, VoteCodeSnipResponse)
