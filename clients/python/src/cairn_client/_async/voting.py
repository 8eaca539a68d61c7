"""Snippets: voted on, and stored many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from cairn_client._bodies import files_written as file_bodies
from cairn_client._bodies import items, mapping, word
from cairn_client._bodies import log_files as log_bodies
from cairn_client._request import CallOptions, Request
from cairn_client.types import BulkExecutionResultResponse, VoteCodeSnipResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cairn_client._async.transport import AsyncTransport
    from cairn_client.types import FileWritten, FileWrittenDict, LogFile, LogFileDict, VoteSource


class AsyncVoting:
    """Votes and uploads of a session's files, under the names that `snippets` has for them."""

    _transport: AsyncTransport

    async def upload_bulk(
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
        body = {
            "prompts": items(prompts, "prompts"),
            "files_written": file_bodies(files_written),
            "log_files": log_bodies(log_files),
            "use_service_ai_voting": use_service_ai_voting,
            "user_votes": mapping(user_votes, "user_votes"),
            "vote_source": word(vote_source),
            "vote_count": vote_count,
            "per_function_reputation": per_function_reputation or None,
        }
        path = "/api/store/bulk-execution-result"
        request = Request("POST", path, body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, BulkExecutionResultResponse)

    async def vote(
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
        body = {
            "task": task,
            "code_block_id": code_block_id,
            "code_block_name": code_block_name,
            "code_block_description": code_block_description,
            "succeeded": succeeded,
            "vote_source": word(vote_source),
        }
        request = Request("POST", "/api/store/cache-usage", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, VoteCodeSnipResponse)
