"""What searches find."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from cairn_client import types
from cairn_client.compat.types.executions import ExecutionRecord, JsonValue
from cairn_client.types.inputs import JsonDict
from cairn_client.types.model import Model, Result
from cairn_client.types.snippets import CodeBlock


class SearchMatch(types.SearchMatch):
    """A snippet that fits a task. Its comments are plain dicts."""

    comments: list[JsonDict] = Field(default_factory=list)  # type: ignore[assignment]

    def model_post_init(self, _: Any) -> None:
        """Gives each score a value, as from an older service that answers with one only."""
        for name in ("combined_score", "vector_score", "verdict_score"):
            if getattr(self, name) is None:
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

    best_match: BestMatch | None
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


class FewShotExample(Model):
    """Code for a task, with what it took and gave."""

    task: str
    input_sample: JsonDict
    output_sample: JsonValue = None
    code_snippet: str


class FewShotExamples(Result):
    """Examples for a task."""

    examples: list[FewShotExample]


class TaskPattern(Model):
    """Which snippet helped with which task."""

    task_pattern: str
    code_block_id: str
    code_block_name: str
    thumbs_up: int
    thumbs_down: int
    last_thumbs_up: datetime | None = None
    last_thumbs_down: datetime | None = None
    verdict_score: float | None = None


class TaskPatterns(Result):
    """What the store has learned."""

    patterns: list[TaskPattern]


class LogSearchMatch(Model):
    """A log that has the words."""

    snippet_id: str
    name: str
    filename: str | None = None
    language: str
    created_at: datetime
    triggering_query: str | None = None
    score: float
    preview: str
    raw_markdown_url: str
    log_url: str | None = None


class SearchLogsResponse(Result):
    """Logs that have the words."""

    matches: list[LogSearchMatch]
    total_found: int
    has_more: bool


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
