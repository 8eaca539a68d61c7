"""What the existing clients tell of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from cairn_client._bodies import word
from cairn_client._request import Request
from cairn_client.compat.types import AutoReviewResponse, ExecutionState, StoreExecutionResponse
from cairn_client.types.model import Result

if TYPE_CHECKING:
    from cairn_client.compat.types import AgentReview, AgentVerdict, JsonDict, JsonValue

R = TypeVar("R", bound=Result)


class AsyncRecording:
    """Runs, and their reviews."""

    async def _ask(self, request: Request, model: type[R]) -> R:
        raise NotImplementedError

    async def store_execution(
        self,
        code_block_id: str,
        triggering_task: str,
        input_data: JsonDict,
        output_data: JsonValue,
        execution_state: ExecutionState = ExecutionState.COMPLETED,
        duration_ms: int = 0,
        error_message: str | None = None,
        error_type: str | None = None,
        verdict: AgentVerdict | None = None,
        review: AgentReview | None = None,
    ) -> StoreExecutionResponse:
        """Records a run of a snippet or of any named code."""
        body = {
            "code_block_id": code_block_id,
            "triggering_task": triggering_task,
            "io": {
                "input_data": input_data,
                "output_data": output_data,
                "output_type": type(output_data).__name__,
            },
            "execution_state": word(execution_state),
            "duration_ms": duration_ms,
            "error_message": error_message,
            "error_type": error_type,
            "verdict": word(verdict),
            "review": None if review is None else review.model_dump(mode="json"),
        }
        return await self._ask(Request("POST", "/api/store/execution", body), StoreExecutionResponse)

    async def auto_review(
        self,
        execution_id: str,
        triggering_task: str,
        execution_state: ExecutionState,
        input_data: JsonDict,
        output_data: JsonValue,
        code_block_name: str,
        code_block_description: str,
        error_message: str | None = None,
    ) -> AutoReviewResponse:
        """Lets the service's model review a recorded run."""
        body = {
            "execution_id": execution_id,
            "triggering_task": triggering_task,
            "execution_state": word(execution_state),
            "input_data": input_data,
            "output_data": output_data,
            "code_block_name": code_block_name,
            "code_block_description": code_block_description,
            "error_message": error_message,
        }
        return await self._ask(Request("POST", "/api/store/auto-review", body), AutoReviewResponse)
