"""Snippets: found and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

import anyio.to_thread

from cairn_client._bodies import mapping
from cairn_client._code_files import check_score, code_files, write_code_files
from cairn_client._request import CallOptions, Request
from cairn_client.types import (
    DeleteResponse,
    SearchResponse,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from cairn_client._async.transport import AsyncTransport
    from cairn_client.types import (
        CodeFilesResponse,
    )


class AsyncSnippets:
    """Search and delete, which the client and its `snippets` have alike."""

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
        explain: bool = False,
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
            input_schema: a JSON schema of what you can give: only code that takes such an input is found.
            per_function_reputation: each match gets `functions`, and a line above each function in its source.
            explain: each match gets an `explanation` of its score.
            min_human_upvotes: only snippets that people voted up so often, 0 or more.
            result_type: `file`: no repositories; `repo`: only these.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ValidationError: an argument is wrong or out of range; `field` names it.

        """
        body = {
            "task": task,
            "top_k": top_k,
            "min_verdict_score": min_verdict_score,
            "min_human_upvotes": min_human_upvotes or None,
            "prefer_complete": prefer_complete,
            "input_schema": mapping(input_schema, "input_schema"),
            "per_function_reputation": per_function_reputation or None,
            "explain": explain or None,
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
        min_score: float | None = None,
        prefer_complete: bool = True,
        input_schema: Mapping[str, Any] | None = None,
        per_function_reputation: bool = True,
        cache_dir: str | os.PathLike[str] | None = None,
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> CodeFilesResponse:
        """Finds snippets as `search` does, as files with a text (`add_to_llm_prompt`) for a language model.

        Args:
            task: as for `search`.
            top_k: as for `search`.
            min_verdict_score: as for `search`.
            min_score: the least score, 0 to 1, of what is offered. Unless given, what the service finds near enough is
                (`SearchMatch.offered`). What has more votes against than for is never offered.
            prefer_complete: as for `search`, but for its default.
            input_schema: as for `search`.
            per_function_reputation: as for `search`, but for its default.
            cache_dir: the folder that the files are written to, and nowhere else: it is made when it is not there, and
                files of the same names there are replaced; a file whose name would leave it is left out with a warning,
                and links are not followed. Without it, nothing is written.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ValidationError: an argument is wrong or out of range, or `cache_dir` is a link or can't be made.
            OSError: a file can't be written.

        """
        check_score(min_score)
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
            return code_files(task, found, min_score)
        logger = self._transport.settings.logger
        return await anyio.to_thread.run_sync(write_code_files, task, found, cache_dir, logger, min_score)

    async def delete(
        self, snippet_id: str, *, workspace_id: str | None = None, **options: Unpack[CallOptions]
    ) -> DeleteResponse:
        """Deletes a snippet, by id or by a name that only one has, and everything that belongs to it.

        Args:
            snippet_id: its id, or its name.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            NotFoundError: `not_found/snippet`.
            ConflictError: `conflict/ambiguous_name`, with the ids of those that have the name.
            PermissionDeniedError: `permission/not_your_snippet`.

        """
        body = {"snippet_id": snippet_id}
        request = Request("POST", "/api/snippets/delete", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, DeleteResponse)
