"""Cairn's client: proven code snippets, and git-backed workspaces for agents."""

from cairn_client._async.client import AsyncCairn
from cairn_client._async.pages import AsyncEvents
from cairn_client._raw import RawResponse
from cairn_client._sync.client import Cairn
from cairn_client._sync.pages import Events
from cairn_client._version import __version__
from cairn_client.errors import (
    APIError,
    AuthenticationError,
    CacheUnavailableError,
    FieldError,
    RateLimitError,
    ServiceError,
    ValidationError,
)
from cairn_client.types import (
    AgentVerdict,
    BulkExecutionResultResponse,
    ChatResponse,
    CodeBlock,
    CodeFile,
    CodeFilesResponse,
    DeleteResponse,
    ExecutionState,
    FileWritten,
    FunctionReputation,
    LogFile,
    SearchMatch,
    SearchResponse,
    SnipsDesired,
    SubmitExecutionResultResponse,
    VoteCodeSnipResponse,
    VoteSource,
)

__all__ = [
    "APIError",
    "AgentVerdict",
    "AsyncCairn",
    "AsyncEvents",
    "AuthenticationError",
    "BulkExecutionResultResponse",
    "CacheUnavailableError",
    "Cairn",
    "ChatResponse",
    "CodeBlock",
    "CodeFile",
    "CodeFilesResponse",
    "DeleteResponse",
    "Events",
    "ExecutionState",
    "FieldError",
    "FileWritten",
    "FunctionReputation",
    "LogFile",
    "RateLimitError",
    "RawResponse",
    "SearchMatch",
    "SearchResponse",
    "ServiceError",
    "SnipsDesired",
    "SubmitExecutionResultResponse",
    "ValidationError",
    "VoteCodeSnipResponse",
    "VoteSource",
    "__version__",
]
