"""What searches find."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from cairn_client import types
from cairn_client.types.executions import ExecutionRecord
from cairn_client.types.inputs import JsonDict  # noqa: TC001 # pydantic reads it at run time
from cairn_client.types.learned import (
    FewShotExample,
    FewShotExamples,
    LogSearchMatch,
    SearchLogsResponse,
    TaskPattern,
    TaskPatterns,
)
from cairn_client.types.model import Model, Result
from cairn_client.types.snippets import CodeBlock


class SearchMatch(types.SearchMatch):
    """A snippet that fits a task. Its comments are plain dicts."""

    comments: list[JsonDict] = Field(default_factory=list)  # type: ignore[assignment]

    def model_post_init(self, _: Any) -> None:
        """Gives each score a value, as from an older service that answers with one only."""
        for name in {"combined_score", "vector_score", "verdict_score"} - self.model_fields_set:
            setattr(self, name, self.score)


class SearchResponse(types.SearchResponse):
    """What a search found, best first."""

    matches: list[SearchMatch]  # type: ignore[assignment]
    cache_hit: bool = False


class BestMatch(Model):
    """The snippet that fits best."""

    code_block: CodeBlock
    score: float
    thumbs_up: int
    thumbs_down: int


class AlternativeCandidate(Model):
    """A snippet that fits too."""

    code_block_id: str
    name: str
    score: float
    reason: str


class RetrieveBestResponse(Result):
    """The snippet that fits best, and up to three others."""

    best_match: BestMatch | None = None
    alternative_candidates: list[AlternativeCandidate]
    retrieval_confidence: str


class CodeBlockMatch(Model):
    """A snippet that fits."""

    code_block: CodeBlock
    score: float
    thumbs_up: int
    thumbs_down: int
    recent_executions: list[ExecutionRecord] = Field(default_factory=list)


class RetrieveCodeBlockResponse(Result):
    """Snippets that fit."""

    code_blocks: list[CodeBlockMatch]
    total_found: int


class PublicSnippet(Model):
    """A snippet that everyone may see."""

    id: str
    name: str
    description: str = ""
    source: str = ""
    language: str = "python"
    entrypoint: str = "main"
    thumbs_up: int = 0
    thumbs_down: int = 0
    created_at: str | None = None
    namespace: str = ""


class BrowsePublicResponse(Result):
    """A page of public snippets."""

    snippets: list[PublicSnippet]
    total: int
    has_more: bool = False


class SearchPublicResponse(Result):
    """Public snippets that fit."""

    snippets: list[PublicSnippet]
    total: int
    query: str


__all__ = [
    "AlternativeCandidate",
    "BestMatch",
    "BrowsePublicResponse",
    "CodeBlockMatch",
    "FewShotExample",
    "FewShotExamples",
    "LogSearchMatch",
    "PublicSnippet",
    "RetrieveBestResponse",
    "RetrieveCodeBlockResponse",
    "SearchLogsResponse",
    "SearchMatch",
    "SearchPublicResponse",
    "SearchResponse",
    "TaskPattern",
    "TaskPatterns",
]
