"""What the existing clients ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from cairn_client._bodies import mapping, word
from cairn_client._code_files import code_files, llm_prompt
from cairn_client._request import Request
from cairn_client.compat._retrieved import best, code_blocks
from cairn_client.compat.types import (
    FewShotExamples,
    RetrieveExecutionsResponse,
    SearchLogsResponse,
    SearchResponse,
    TaskPatterns,
)
from cairn_client.types.model import Result

if TYPE_CHECKING:
    from cairn_client.compat.types import (
        AgentVerdict,
        FewShotExample,
        GetCodeFilesResponse,
        JsonDict,
        RetrieveBestResponse,
        RetrieveCodeBlockResponse,
        TaskPattern,
    )

R = TypeVar("R", bound=Result)


class AsyncRetrieving:
    """Search, and what stands on it."""

    async def _ask(self, request: Request, model: type[R]) -> R:
        raise NotImplementedError

    async def search(
        self,
        task: str,
        top_k: int = 5,
        min_verdict_score: float = 0.3,
        min_human_upvotes: int = 0,
        prefer_complete: bool = False,
        input_schema: JsonDict | None = None,
        per_function_reputation: bool = False,
        workspace_id: str | None = None,
        result_type: str = "any",
    ) -> SearchResponse:
        """Finds snippets for a task, best first."""
        body = {
            "task": task,
            "top_k": top_k,
            "min_verdict_score": min_verdict_score,
            "min_human_upvotes": min_human_upvotes,
            "prefer_complete": prefer_complete,
            "input_schema": mapping(input_schema, "input_schema"),
            "per_function_reputation": per_function_reputation or None,
            "result_type": None if result_type == "any" else result_type,
        }
        request = Request("POST", "/api/retrieve/search", body, workspace_id=workspace_id or None)
        return await self._ask(request, SearchResponse)

    async def get_code_snips(
        self, task: str, top_k: int = 10, min_verdict_score: float = 0.0
    ) -> RetrieveCodeBlockResponse:
        """Finds snippets for a task, without files and reputation."""
        return code_blocks(await self.search(task, top_k, min_verdict_score))

    retrieve = get_code_snips

    async def retrieve_best(self, task: str, top_k: int = 10, min_verdict_score: float = 0.0) -> RetrieveBestResponse:
        """Finds the snippet that fits best, and up to three others."""
        return best(await self.search(task, top_k, min_verdict_score))

    async def get_code_files(
        self,
        task: str,
        top_k: int = 5,
        min_verdict_score: float = 0.3,
        prefer_complete: bool = True,
        cache_dir: str = ".raysurfer_code",
        per_function_reputation: bool = True,
    ) -> GetCodeFilesResponse:
        """Finds snippets as files. Writes none, as before: `cache_dir` is where the prompt says that they are.

        `Cairn.get_code_files` writes them.
        """
        found = await self.search(
            task,
            top_k,
            min_verdict_score,
            prefer_complete=prefer_complete,
            per_function_reputation=per_function_reputation,
        )
        files = code_files(task, found)
        return files.model_copy(update={"add_to_llm_prompt": llm_prompt(files.files, cache_dir)})

    async def get_few_shot_examples(self, task: str, k: int = 3) -> list[FewShotExample]:
        """Code for a task, with what it took and gave when it last ran."""
        request = Request("POST", "/api/retrieve/few-shot-examples", {"task": task, "k": k})
        return (await self._ask(request, FewShotExamples)).examples

    async def get_task_patterns(
        self, task: str | None = None, code_block_id: str | None = None, min_thumbs_up: int = 0, top_k: int = 20
    ) -> list[TaskPattern]:
        """Which snippet helped with which task."""
        body = {"task": task, "code_block_id": code_block_id, "min_thumbs_up": min_thumbs_up, "top_k": top_k}
        return (await self._ask(Request("POST", "/api/retrieve/task-patterns", body), TaskPatterns)).patterns

    async def get_executions(
        self,
        code_block_id: str | None = None,
        task: str | None = None,
        verdict: AgentVerdict | None = None,
        limit: int = 20,
    ) -> RetrieveExecutionsResponse:
        """Recorded runs, by snippet, task or verdict."""
        body = {"code_block_id": code_block_id, "task": task, "verdict": word(verdict), "limit": limit}
        return await self._ask(Request("POST", "/api/retrieve/executions", body), RetrieveExecutionsResponse)

    async def search_logs(
        self,
        query: str,
        *,
        limit: int = 20,
        offset: int = 0,
        code_block_id: str | None = None,
        language: str | None = None,
        days_back: int | None = None,
    ) -> SearchLogsResponse:
        """Searches what uploads and runs printed."""
        body = {
            "query": query,
            "limit": limit,
            "offset": offset,
            "code_block_id": code_block_id,
            "language": language,
            "days_back": days_back,
        }
        return await self._ask(Request("POST", "/api/raw/search", body), SearchLogsResponse)
