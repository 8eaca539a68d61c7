"""The existing clients' types, under their names. What both have is this library's."""

from cairn_client.compat.types.executions import (
    AgentReview,
    AutoReviewResponse,
    ExecutionIO,
    ExecutionRecord,
    JsonValue,
    RetrieveExecutionsResponse,
    StoreExecutionResponse,
)
from cairn_client.compat.types.found import (
    AlternativeCandidate,
    BestMatch,
    BrowsePublicResponse,
    CodeBlockMatch,
    FewShotExample,
    FewShotExamples,
    LogSearchMatch,
    PublicSnippet,
    RetrieveBestResponse,
    RetrieveCodeBlockResponse,
    SearchLogsResponse,
    SearchMatch,
    SearchPublicResponse,
    SearchResponse,
    TaskPattern,
    TaskPatterns,
)
from cairn_client.compat.types.stored import (
    AnyResult,
    BulkExecutionResultRequest,
    StoreCodeBlockResponse,
    StoreRepoResponse,
    SubmitExecutionResultRequest,
)
from cairn_client.types.code_files import CodeFile, CodeFilesResponse
from cairn_client.types.inputs import FileWritten, JsonDict, LogFile, SnipsDesired
from cairn_client.types.snippets import AgentVerdict, CodeBlock, DeleteResponse, ExecutionState, FunctionReputation
from cairn_client.types.uploads import BulkExecutionResultResponse, SubmitExecutionResultResponse
from cairn_client.types.workspaces import ChatResponse

RepoFile = FileWritten
"""A file of a repository: `FileWritten`."""

GetCodeFilesResponse = CodeFilesResponse
"""`CodeFilesResponse`."""

__all__ = [
    "AgentReview",
    "AgentVerdict",
    "AlternativeCandidate",
    "AnyResult",
    "AutoReviewResponse",
    "BestMatch",
    "BrowsePublicResponse",
    "BulkExecutionResultRequest",
    "BulkExecutionResultResponse",
    "ChatResponse",
    "CodeBlock",
    "CodeBlockMatch",
    "CodeFile",
    "DeleteResponse",
    "ExecutionIO",
    "ExecutionRecord",
    "ExecutionState",
    "FewShotExample",
    "FewShotExamples",
    "FileWritten",
    "FunctionReputation",
    "GetCodeFilesResponse",
    "JsonDict",
    "JsonValue",
    "LogFile",
    "LogSearchMatch",
    "PublicSnippet",
    "RepoFile",
    "RetrieveBestResponse",
    "RetrieveCodeBlockResponse",
    "RetrieveExecutionsResponse",
    "SearchLogsResponse",
    "SearchMatch",
    "SearchPublicResponse",
    "SearchResponse",
    "SnipsDesired",
    "StoreCodeBlockResponse",
    "StoreExecutionResponse",
    "StoreRepoResponse",
    "SubmitExecutionResultRequest",
    "SubmitExecutionResultResponse",
    "TaskPattern",
    "TaskPatterns",
]
