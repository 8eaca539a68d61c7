"""Runs of code, and what was said of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from cairn_client.types.inputs import JsonDict
from cairn_client.types.model import Model, Result
from cairn_client.types.snippets import AgentVerdict, ExecutionState

JsonValue = Any
"""Any JSON."""


class ExecutionIO(Model):
    """What a run took and gave."""

    input_data: JsonDict
    input_hash: str = ""
    output_data: JsonValue = None
    output_hash: str = ""
    output_type: str = "unknown"


def _now() -> datetime:
    return datetime.now(UTC)


class AgentReview(Model):
    """What was thought of a run, at length."""

    timestamp: datetime = Field(default_factory=_now)
    verdict: AgentVerdict
    reasoning: str
    what_worked: list[str] = Field(default_factory=list)
    what_didnt_work: list[str] = Field(default_factory=list)
    output_was_useful: bool
    output_was_correct: bool
    output_was_complete: bool
    error_was_appropriate: bool | None = None
    would_use_again: bool
    suggested_improvements: list[str] = Field(default_factory=list)
    required_workaround: bool = False
    workaround_description: str | None = None


class ExecutionRecord(Model):
    """A recorded run."""

    id: str
    code_block_id: str
    timestamp: datetime = Field(default_factory=_now)
    execution_state: ExecutionState
    duration_ms: int
    error_message: str | None = None
    error_type: str | None = None
    io: ExecutionIO
    triggering_task: str
    retrieval_score: float = 0.0
    """0 to 1: how alike its task is to the one that was asked for."""
    verdict: AgentVerdict = AgentVerdict.PENDING
    review: AgentReview | None = None


class StoreExecutionResponse(Result):
    """What was recorded."""

    success: bool
    execution_id: str
    """For `executions.review`."""
    pattern_updated: bool
    """Whether its verdict counted as a vote on a stored snippet."""
    message: str


class AutoReviewResponse(Result):
    """The service's review of a run."""

    success: bool
    """False where no model can be asked; the verdict is `pending` then."""
    execution_id: str
    review: AgentReview
    message: str


class RetrieveExecutionsResponse(Result):
    """Recorded runs, newest first unless a task was given."""

    executions: list[ExecutionRecord]
    total_found: int
    """All of them, before `limit`."""
