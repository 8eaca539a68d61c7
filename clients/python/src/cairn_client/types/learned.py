"""What the store has learned: patterns, examples, logs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from cairn_client.types.inputs import JsonDict
from cairn_client.types.model import Model, Result


class FewShotExample(Model):
    """Code for a task, with what it took and gave when it last ran."""

    task: str
    input_sample: JsonDict
    """`{}` of code that never ran."""
    output_sample: Any = None
    """`None` of code that never ran."""
    code_snippet: str


class FewShotExamples(Result):
    """Examples for a task, best first."""

    examples: list[FewShotExample]
    stale: bool = False
    """What was stored last may be missing: it is found by the same call a moment later."""


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
    """0 to 1: what its votes say."""
    error_resilience: float | None = None
    """0 to 1: the share of the snippet's uploads and runs that went well."""


class TaskPatterns(Result):
    """Patterns, the best verdict first; with a task, the most alike before that."""

    patterns: list[TaskPattern]
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class LogSearchMatch(Model):
    """What an upload or a run of a snippet printed."""

    snippet_id: str
    name: str
    filename: str | None = None
    language: str
    created_at: datetime
    """Of the log."""
    triggering_query: str | None = None
    """The task it was run for."""
    score: float
    """Up to 10: 6 for a log that has every word of the query once."""
    preview: str
    """Some 300 characters around the words."""
    raw_markdown_url: str
    """Relative to the service."""
    log_url: str | None = None


class SearchLogsResponse(Result):
    """Logs that have the words, best first."""

    matches: list[LogSearchMatch]
    total_found: int
    """All that match, before `limit`; at most 1,000 are compared."""
    has_more: bool
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class PublicSnippet(Model):
    """A snippet that everybody may see."""

    id: str
    name: str
    description: str = ""
    source: str = ""
    language: str = ""
    entrypoint: str = ""
    thumbs_up: int = 0
    thumbs_down: int = 0
    created_at: datetime | None = None
    namespace: str = ""
    """`community`: whose it is stays with the service."""


class BrowsePublicResponse(Result):
    """A page of public snippets."""

    snippets: list[PublicSnippet] = Field(default_factory=list)
    total: int
    """All of them, before `limit`."""
    has_more: bool = False
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class SearchPublicResponse(Result):
    """Public snippets that fit, best first."""

    snippets: list[PublicSnippet] = Field(default_factory=list)
    total: int
    """All that match, before `limit`."""
    query: str
    stale: bool = False
    """What was stored last may be missing: it is found by the same call a moment later."""
