"""What the existing clients hand over."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from cairn_client._bodies import file_written as file_body
from cairn_client._bodies import files_written as file_bodies
from cairn_client._bodies import log_files as log_bodies
from cairn_client._bodies import mapping, tags_of, word
from cairn_client._request import Request
from cairn_client.compat._retrieved import summed, text_files
from cairn_client.compat.accessible import note_published, registry_block
from cairn_client.compat.types import (
    AnyResult,
    BulkExecutionResultResponse,
    DeleteResponse,
    StoreCodeBlockResponse,
    StoreRepoResponse,
    SubmitExecutionResultResponse,
)
from cairn_client.types.model import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from cairn_client.compat.types import FileWritten, JsonDict, LogFile

R = TypeVar("R", bound=Result)


class AsyncStoring:
    """Uploads and votes."""

    async def _ask(self, request: Request, model: type[R]) -> R:
        raise NotImplementedError

    async def upload(
        self,
        task: str,
        file_written: FileWritten | None = None,
        succeeded: bool = True,
        use_raysurfer_ai_voting: bool = True,
        user_vote: int | None = None,
        execution_logs: str | None = None,
        run_url: str | None = None,
        workspace_id: str | None = None,
        dependencies: dict[str, str] | None = None,
        tags: list[str] | None = None,
        public: bool = False,
        vote_source: str | None = None,
        vote_count: int = 1,
        files_written: Sequence[FileWritten] | None = None,
        auto_vote: bool | None = None,
        per_function_reputation: bool = False,
        repo_path: str | None = None,
        github_url: str | None = None,
    ) -> SubmitExecutionResultResponse:
        """Stores a file, or each of several in a call of its own, or a folder as one repository."""
        if repo_path is not None or github_url is not None:
            return await self._upload_repo(task, repo_path, github_url, dependencies, tags, workspace_id)
        if (file_written is None) == (files_written is None):
            raise ValueError("Give file_written or files_written, and only one of them")
        files = [file_written] if file_written is not None else list(files_written or [])
        if not files:
            raise ValueError("files_written has no file; expected at least one")
        body = {
            "task": task,
            "succeeded": succeeded,
            "use_service_ai_voting": use_raysurfer_ai_voting if auto_vote is None else auto_vote,
            "user_vote": user_vote,
            "execution_logs": execution_logs,
            "run_url": run_url,
            "dependencies": mapping(dependencies, "dependencies"),
            "tags": tags_of(tags),
            "public": public or None,
            "vote_source": word(vote_source),
            "vote_count": vote_count,
            "per_function_reputation": per_function_reputation or None,
        }
        answers = []
        for file in files:
            one = {**body, "file_written": file_body(file)}
            request = Request("POST", "/api/store/execution-result", one, workspace_id=workspace_id or None)
            answers.append(await self._ask(request, SubmitExecutionResultResponse))
        return summed(answers)

    upload_new_code_snip = upload
    upload_new_code_snips = upload
    submit_execution_result = upload

    async def _upload_repo(
        self,
        task: str,
        repo_path: str | None,
        github_url: str | None,
        dependencies: dict[str, str] | None,
        tags: list[str] | None,
        workspace_id: str | None,
    ) -> SubmitExecutionResultResponse:
        body = {
            "task": task,
            "files": [] if repo_path is None else text_files(repo_path),
            "github_url": github_url,
            "dependencies": mapping(dependencies, "dependencies"),
            "tags": tags_of(tags),
        }
        request = Request("POST", "/api/store/repo", body, workspace_id=workspace_id or None)
        stored = await self._ask(request, StoreRepoResponse)
        return SubmitExecutionResultResponse(
            success=stored.success,
            code_blocks_stored=1 if stored.success else 0,
            message=stored.message,
            snippet_name=stored.repo_id,
        ).received(stored.request_id)

    async def upload_bulk_code_snips(
        self,
        prompts: list[str],
        files_written: Sequence[FileWritten],
        log_files: Sequence[LogFile] | None = None,
        use_raysurfer_ai_voting: bool = True,
        user_votes: dict[str, int] | None = None,
        workspace_id: str | None = None,
        vote_source: str | None = None,
        vote_count: int = 1,
        per_function_reputation: bool = False,
    ) -> BulkExecutionResultResponse:
        """Stores the files of a session, checked as a whole."""
        body = {
            "prompts": prompts,
            "files_written": file_bodies(files_written),
            "log_files": log_bodies(log_files),
            "use_service_ai_voting": use_raysurfer_ai_voting,
            "user_votes": mapping(user_votes, "user_votes"),
            "vote_source": word(vote_source),
            "vote_count": vote_count,
            "per_function_reputation": per_function_reputation or None,
        }
        request = Request("POST", "/api/store/bulk-execution-result", body, workspace_id=workspace_id or None)
        return await self._ask(request, BulkExecutionResultResponse)

    async def delete(self, snippet_id: str, workspace_id: str | None = None) -> DeleteResponse:
        """Deletes a snippet, by id or name."""
        request = Request("POST", "/api/snippets/delete", {"snippet_id": snippet_id}, workspace_id=workspace_id or None)
        return await self._ask(request, DeleteResponse)

    async def vote_code_snip(
        self, task: str, code_block_id: str, code_block_name: str, code_block_description: str, succeeded: bool
    ) -> JsonDict:
        """Says whether a snippet helped."""
        body = {
            "task": task,
            "code_block_id": code_block_id,
            "code_block_name": code_block_name,
            "code_block_description": code_block_description,
            "succeeded": succeeded,
        }
        return (await self._ask(Request("POST", "/api/store/cache-usage", body), AnyResult)).model_dump()

    async def comment_on_code_snip(self, code_block_id: str, text: str) -> JsonDict:
        """Comments on a snippet."""
        body = {"code_block_id": code_block_id, "text": text}
        return (await self._ask(Request("POST", "/api/store/comment", body), AnyResult)).model_dump()

    async def store_code_block(
        self,
        name: str,
        source: str,
        entrypoint: str,
        language: str,
        description: str = "",
        input_schema: JsonDict | None = None,
        output_schema: JsonDict | None = None,
        language_version: str | None = None,
        dependencies: dict[str, str] | None = None,
        tags: list[str] | None = None,
        capabilities: list[str] | None = None,
        example_queries: list[str] | None = None,
        workspace_id: str | None = None,
    ) -> StoreCodeBlockResponse:
        """Stores a snippet whose name, language and entrypoint are known."""
        body = {
            "name": name,
            "source": source,
            "entrypoint": entrypoint,
            "language": language,
            "description": description,
            "input_schema": mapping(input_schema, "input_schema"),
            "output_schema": mapping(output_schema, "output_schema"),
            "language_version": language_version,
            "dependencies": mapping(dependencies, "dependencies"),
            "tags": tags_of(tags),
            "capabilities": capabilities,
            "example_queries": example_queries,
        }
        request = Request("POST", "/api/store/code-block", body, workspace_id=workspace_id or None)
        return await self._ask(request, StoreCodeBlockResponse)

    async def publish_function_registry(self, functions: Sequence[Callable[..., Any]]) -> list[str]:
        """Stores functions that are `agent_accessible` as snippets, and records their calls from now on."""
        names = []
        for function in functions:
            block = registry_block(function)
            if block is not None:
                names.append(note_published(function, self, await self.store_code_block(**block)))
        return names
