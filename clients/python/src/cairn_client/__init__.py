"""Cairn's client: proven code snippets, and git-backed workspaces for agents.

```python
from cairn_client import Cairn

client = Cairn()  # CAIRN_API_KEY, CAIRN_BASE_URL
found = client.search("count the words of a text")
print(found.matches[0].code_block.source)
```

`Cairn` blocks; `AsyncCairn` is awaited, in asyncio's loop or trio's. Both have the same methods. What they return is in
`cairn_client.types`, what they raise in `cairn_client.errors`, and what `client.keys` and their other parts can do in
`cairn_client.resources`. Agent sessions are in `cairn_client.agent`, the names of the existing clients in
`cairn_client.compat`.
"""

from cairn_client._async.backup import AsyncBackup
from cairn_client._async.client import AsyncCairn
from cairn_client._async.event_stream import AsyncEventStream
from cairn_client._async.pages import AsyncEvents
from cairn_client._async.run_stream import AsyncRunStream
from cairn_client._raw import RawResponse
from cairn_client._request import CallOptions
from cairn_client._sync.backup import Backup
from cairn_client._sync.client import Cairn
from cairn_client._sync.event_stream import EventStream
from cairn_client._sync.pages import Events
from cairn_client._sync.run_stream import RunStream
from cairn_client._version import __version__
from cairn_client.errors import (
    APIError,
    AuthenticationError,
    CacheUnavailableError,
    ConflictError,
    FieldError,
    NotFoundError,
    PermissionDeniedError,
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
    ExplainedWord,
    Explanation,
    FileWritten,
    FunctionReputation,
    LearnedEffect,
    LearnedTask,
    LengthEffect,
    LogFile,
    MendedWord,
    NearestPiece,
    ScoreEffect,
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
    "AsyncBackup",
    "AsyncCairn",
    "AsyncEventStream",
    "AsyncEvents",
    "AsyncRunStream",
    "AuthenticationError",
    "Backup",
    "BulkExecutionResultResponse",
    "CacheUnavailableError",
    "Cairn",
    "CallOptions",
    "ChatResponse",
    "CodeBlock",
    "CodeFile",
    "CodeFilesResponse",
    "ConflictError",
    "DeleteResponse",
    "EventStream",
    "Events",
    "ExecutionState",
    "ExplainedWord",
    "Explanation",
    "FieldError",
    "FileWritten",
    "FunctionReputation",
    "LearnedEffect",
    "LearnedTask",
    "LengthEffect",
    "LogFile",
    "MendedWord",
    "NearestPiece",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "RawResponse",
    "RunStream",
    "ScoreEffect",
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
