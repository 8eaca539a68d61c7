"""What becomes of uploads."""

from __future__ import annotations

from cairn_client.types.model import Model, Result
from cairn_client.types.snippets import AgentVerdict


class SubmitExecutionResultResponse(Result):
    """What became of an upload."""

    success: bool
    code_blocks_stored: int
    """1, also when the same code was there already."""
    message: str
    """For a person."""
    snippet_name: str | None = None
    """What the snippet is called."""
    status_url: str | None = None
    """For `uploads.status`, when a grading is due."""


class BulkExecutionResultResponse(Result):
    """What became of a bulk upload."""

    success: bool
    code_blocks_stored: int
    """One a file, also for code that was there already."""
    votes_queued: int
    """Files that the service is going to grade."""
    message: str
    """For a person."""
    status_url: str | None = None
    """For `uploads.status`, when gradings are due."""


class FileGrading(Model):
    """What became of one file's grading."""

    snippet_id: str
    filename: str
    verdict: AgentVerdict | None = None
    """`pending` until the model has said; None when it won't."""
    reason: str | None = None
    """Why it got none."""


class GradingStatus(Result):
    """How far the grading of an upload has come."""

    id: str
    """The last part of the `status_url`."""
    status: str
    """`pending`, `done`, or `failed`: at least one file got no verdict."""
    reason: str | None = None
    """Why it failed."""
    votes: list[FileGrading]
    """One a file."""
