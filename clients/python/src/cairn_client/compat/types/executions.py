"""Runs of code, and what was said of them."""

from cairn_client.types.executions import (
    AgentReview,
    AutoReviewResponse,
    ExecutionIO,
    ExecutionRecord,
    JsonValue,
    RetrieveExecutionsResponse,
    StoreExecutionResponse,
)

__all__ = [
    "AgentReview",
    "AutoReviewResponse",
    "ExecutionIO",
    "ExecutionRecord",
    "JsonValue",
    "RetrieveExecutionsResponse",
    "StoreExecutionResponse",
]
