"""Calls whose names are the specification's, and others than those of `snippets`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cairn_client._async.store import AsyncSnippetStore
    from cairn_client._request import CallOptions
    from cairn_client.types import (
        BulkExecutionResultResponse,
        FileWritten,
        FileWrittenDict,
        LogFile,
        LogFileDict,
        VoteCodeSnipResponse,
        VoteSource,
    )


class AsyncSpecified:
    """Votes and uploads of a session's files, under the specification's names."""

    snippets: AsyncSnippetStore

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
            prompts: what the user asked for, in order; at most 1,000.
            files_written: the files, as they were at last; 1 to 200 of at most 1 MiB each.
            log_files: what was printed, in any format; `bytes` are sent as base64. At most 200, 16 MiB together.
            use_service_ai_voting: lets the service's model grade the files; ignored with `user_votes`.
            user_votes: path (or unambiguous name) of a file to 1 or -1; files without one get no vote.
            vote_source: who gives `user_votes`. Default: `human`, but `ai` with a client that has an `agent_id`.
            vote_count: how often each vote counts, 1 to 100.
            per_function_reputation: keeps score of each function.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ValidationError: an argument is wrong or out of range; then nothing is stored.

        """
        return await self.snippets.upload_bulk(
            prompts,
            files_written,
            log_files,
            use_service_ai_voting=use_service_ai_voting,
            user_votes=user_votes,
            vote_source=vote_source,
            vote_count=vote_count,
            per_function_reputation=per_function_reputation,
            workspace_id=workspace_id,
            **options,
        )

    async def vote_code_snip(
        self,
        task: str,
        code_block_id: str,
        code_block_name: str | None = None,
        code_block_description: str | None = None,
        *,
        succeeded: bool,
        vote_source: VoteSource | Literal["ai", "human"] | None = None,
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> VoteCodeSnipResponse:
        """Says whether a snippet helped with a task. Only `code_block_id` and `succeeded` decide anything.

        Args:
            task: what it was used for.
            code_block_id: the `code_block.id` of a match.
            code_block_name: for the log.
            code_block_description: for the log.
            succeeded: whether it helped.
            vote_source: `ai`: an agent votes, and not the person whose key it is. `human` unless given, but `ai` with a
                client that has an `agent_id`.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            NotFoundError: `not_found/snippet`.

        """
        return await self.snippets.vote(
            task,
            code_block_id,
            code_block_name,
            code_block_description,
            succeeded=succeeded,
            vote_source=vote_source,
            workspace_id=workspace_id,
            **options,
        )
