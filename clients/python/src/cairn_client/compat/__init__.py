"""The existing clients' names over this library: `from cairn_client.compat import RaySurfer, FileWritten`.

All of the low-level client, its types and errors, the decorators, `log`, and the sessions of the agent SDK, whose own
names are here, too: they are had by loading it (`pip install claude-agent-sdk`), which the first use of one does.
"""

from typing import Any

from cairn_client._version import __version__
from cairn_client.compat._async.client import AsyncRaySurfer
from cairn_client.compat._sync.client import RaySurfer
from cairn_client.compat.accessible import (
    agent_accessible,
    publish_function_registry,
    set_tracking_client,
    to_anthropic_tool,
)
from cairn_client.compat.exceptions import (
    APIError,
    AuthenticationError,
    CacheUnavailableError,
    RateLimitError,
    RaySurferError,
    RefusedError,
    ServerError,
    ValidationError,
)
from cairn_client.compat.session import Agent, MessageParam, RaysurferClient, RaysurferOpencodeClient, RunResult
from cairn_client.compat.telemetry import log, raysurfer_logging
from cairn_client.compat.types import (
    AgentReview,
    AgentVerdict,
    AlternativeCandidate,
    AutoReviewResponse,
    BestMatch,
    BrowsePublicResponse,
    BulkExecutionResultResponse,
    ChatResponse,
    CodeBlock,
    CodeBlockMatch,
    CodeFile,
    DeleteResponse,
    ExecutionIO,
    ExecutionRecord,
    ExecutionState,
    FewShotExample,
    FileWritten,
    FunctionReputation,
    GetCodeFilesResponse,
    JsonDict,
    JsonValue,
    LogFile,
    LogSearchMatch,
    PublicSnippet,
    RepoFile,
    RetrieveBestResponse,
    RetrieveCodeBlockResponse,
    RetrieveExecutionsResponse,
    SearchLogsResponse,
    SearchMatch,
    SearchPublicResponse,
    SearchResponse,
    SnipsDesired,
    StoreCodeBlockResponse,
    StoreExecutionResponse,
    SubmitExecutionResultResponse,
    TaskPattern,
)

__all__ = [
    "APIError",
    "Agent",
    "AgentReview",
    "AgentVerdict",
    "AlternativeCandidate",
    "AsyncRaySurfer",
    "AuthenticationError",
    "AutoReviewResponse",
    "BestMatch",
    "BrowsePublicResponse",
    "BulkExecutionResultResponse",
    "CacheUnavailableError",
    "ChatResponse",
    "CodeBlock",
    "CodeBlockMatch",
    "CodeFile",
    "DeleteResponse",
    "ExecutionIO",
    "ExecutionRecord",
    "ExecutionState",
    "FewShotExample",
    "FileWritten",
    "FunctionReputation",
    "GetCodeFilesResponse",
    "JsonDict",
    "JsonValue",
    "LogFile",
    "LogSearchMatch",
    "MessageParam",
    "PublicSnippet",
    "RateLimitError",
    "RaySurfer",
    "RaySurferError",
    "RaysurferClient",
    "RaysurferOpencodeClient",
    "RefusedError",
    "RepoFile",
    "RetrieveBestResponse",
    "RetrieveCodeBlockResponse",
    "RetrieveExecutionsResponse",
    "RunResult",
    "SearchLogsResponse",
    "SearchMatch",
    "SearchPublicResponse",
    "SearchResponse",
    "ServerError",
    "SnipsDesired",
    "StoreCodeBlockResponse",
    "StoreExecutionResponse",
    "SubmitExecutionResultResponse",
    "TaskPattern",
    "ValidationError",
    "__version__",
    "agent_accessible",
    "log",
    "publish_function_registry",
    "raysurfer_logging",
    "set_tracking_client",
    "to_anthropic_tool",
]

_OF_THE_SDK = {
    "AgentDefinition",
    "AssistantMessage",
    "ClaudeAgentOptions",
    "HookMatcher",
    "Message",
    "ResultMessage",
    "SystemMessage",
    "TextBlock",
    "ThinkingBlock",
    "ToolResultBlock",
    "ToolUseBlock",
    "UserMessage",
}


def __getattr__(name: str) -> Any:
    """The agent SDK's own names, which the existing package has beside its own."""
    if name not in _OF_THE_SDK:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cairn_client.agent._sdk import require_sdk

    require_sdk()
    import claude_agent_sdk

    return getattr(claude_agent_sdk, name)
