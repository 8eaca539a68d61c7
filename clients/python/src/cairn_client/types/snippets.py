"""Snippets, and what the operations on them answer."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from cairn_client.types.model import Model, Result


class ExecutionState(StrEnum):
    """How a run ended."""

    COMPLETED = "completed"
    ERRORED = "errored"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"


class AgentVerdict(StrEnum):
    """What was thought of a run or a snippet."""

    THUMBS_UP = "thumbs_up"
    THUMBS_DOWN = "thumbs_down"
    PENDING = "pending"


class CodeBlock(Model):
    """A stored snippet."""

    id: str
    name: str
    description: str
    source: str
    entrypoint: str
    language: str
    language_version: str | None = None
    dependencies: dict[str, str] = Field(default_factory=dict)
    tags: list[str] = Field(default_factory=list)
    capabilities: list[str] = Field(default_factory=list)
    input_schema: dict[str, Any] = Field(default_factory=dict)
    output_schema: dict[str, Any] = Field(default_factory=dict)
    example_queries: list[str] | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    agent_id: str | None = None


class SnippetComment(Model):
    """What somebody said of a snippet."""

    id: str
    email: str
    text: str
    created_at: datetime


class FunctionReputation(Model):
    """What is known of a function, from all snippets of the tenant that hold it."""

    fingerprint: str
    function_name: str
    signature: str
    execution_count: int = 0
    thumbs_up: int = 0
    thumbs_down: int = 0
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    common_errors: list[str] = Field(default_factory=list)
    avg_output_size: float = 0
    output_completeness: float = 0
    """0 to 1: logged calls that returned something."""
    repeat_call_rate: float = 0
    """0 to 1: logged calls beyond the first of a run."""
    total_logged_calls: int = 0
    author_agent: str | None = None
    reviewed_by_human: bool = False
    derived_from: str | None = None


class SearchMatch(Model):
    """A snippet that fits a task."""

    code_block: CodeBlock
    score: float
    """0 to 1: relevance and votes together."""
    thumbs_up: int
    thumbs_down: int
    filename: str
    language: str
    entrypoint: str
    dependencies: dict[str, str] = Field(default_factory=dict)
    functions: list[FunctionReputation] | None = None
    """Only with `per_function_reputation`."""
    combined_score: float | None = None
    vector_score: float | None = None
    verdict_score: float | None = None
    error_resilience: float | None = None
    agent_id: str | None = None
    comments: list[SnippetComment] = Field(default_factory=list)
    type: str = "file"
    """`file`, or `repo` with the fields below."""
    download_url: str | None = None
    file_tree: str | None = None
    file_count: int | None = None
    framework: str | None = None
    readme_preview: str | None = None


class SearchResponse(Result):
    """What a search found, best first."""

    matches: list[SearchMatch]
    total_found: int
    """All that match, before `top_k`."""
    cache_hit: bool
    search_namespaces: list[str] = Field(default_factory=list)


class SubmitExecutionResultResponse(Result):
    """What became of an upload."""

    success: bool
    code_blocks_stored: int
    message: str
    snippet_name: str | None = None
    status_url: str | None = None
    """For `uploads.status`, when a grading is due."""


class BulkExecutionResultResponse(Result):
    """What became of a bulk upload."""

    success: bool
    code_blocks_stored: int
    votes_queued: int
    message: str
    status_url: str | None = None
    """For `uploads.status`, when gradings are due."""


class DeleteResponse(Result):
    """What was deleted."""

    success: bool
    deleted_count: int
    message: str


class VoteCodeSnipResponse(Result):
    """That a vote is taken; the next search counts it."""

    success: bool
    vote_pending: bool
    message: str


class FileGrading(Model):
    """What became of one file's grading."""

    snippet_id: str
    filename: str
    verdict: Annotated[AgentVerdict | str, Field(union_mode="left_to_right")]
    reason: str | None = None


class GradingStatus(Result):
    """How far the grading of an upload has come."""

    id: str
    status: str
    """`pending`, `done`, or `failed`: at least one file got no verdict."""
    reason: str | None = None
    votes: list[FileGrading]


class CodeFile(Model):
    """A found snippet as a file."""

    code_block_id: str
    filename: str
    source: str
    entrypoint: str
    description: str
    input_schema: dict[str, Any] = Field(default_factory=dict)
    output_schema: dict[str, Any] = Field(default_factory=dict)
    language: str
    dependencies: dict[str, str] = Field(default_factory=dict)
    score: float = 0.0
    thumbs_up: int = 0
    thumbs_down: int = 0
    path: str | None = None
    """Where it was written, or `None` when it was not."""


class CodeFilesResponse(Result):
    """Found snippets as files, and a text that tells a language model of them."""

    files: list[CodeFile]
    task: str
    total_found: int
    add_to_llm_prompt: str = ""
    """`""` when nothing was found."""
