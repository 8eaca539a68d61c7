"""What is handed over, and what becomes of it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from cairn_client.types.inputs import FileWritten, LogFile
from cairn_client.types.model import Result
from cairn_client.types.stored import StoreCodeBlockResponse, StoreRepoResponse


class AnyResult(Result):
    """A JSON object of any kind."""


class SubmitExecutionResultRequest(BaseModel):
    """What an upload sends."""

    task: str
    file_written: FileWritten
    succeeded: bool
    use_raysurfer_ai_voting: bool = True
    user_vote: int | None = None
    dependencies: dict[str, str] | None = None
    tags: list[str] = Field(default_factory=list)
    agent_id: str | None = None


class BulkExecutionResultRequest(BaseModel):
    """What a bulk upload sends."""

    prompts: list[str]
    files_written: list[FileWritten]
    log_files: list[LogFile] | None = None
    use_raysurfer_ai_voting: bool = True
    user_votes: dict[str, int] | None = None


__all__ = [
    "AnyResult",
    "BulkExecutionResultRequest",
    "StoreCodeBlockResponse",
    "StoreRepoResponse",
    "SubmitExecutionResultRequest",
]
