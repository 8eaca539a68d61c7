"""What a client's parts are: the types of `client.keys`, `client.workspaces` and the others, for annotations.

```python
from cairn_client.resources import Workspaces


def newest(workspaces: Workspaces, workspace_id: str) -> str:
    return workspaces.commits(workspace_id, limit=1).commits[0].sha
```

A client makes them; programs don't. Those of an `AsyncCairn` have `Async` before their names.
"""

from cairn_client._async.chat import AsyncChat
from cairn_client._async.keys import AsyncKeys
from cairn_client._async.learned import AsyncExecutions, AsyncFunctions, AsyncLogs, AsyncPatterns
from cairn_client._async.organization import AsyncOrganization
from cairn_client._async.raw import (
    AsyncExecutionsWithRawResponse,
    AsyncFunctionsWithRawResponse,
    AsyncKeysWithRawResponse,
    AsyncLogsWithRawResponse,
    AsyncOrganizationWithRawResponse,
    AsyncPatternsWithRawResponse,
    AsyncReposWithRawResponse,
    AsyncRunsWithRawResponse,
    AsyncSnippetStoreWithRawResponse,
    AsyncSystemWithRawResponse,
    AsyncUploadsWithRawResponse,
    AsyncUsersWithRawResponse,
    AsyncWithRawResponse,
    AsyncWorkspacesWithRawResponse,
)
from cairn_client._async.repos import AsyncRepos
from cairn_client._async.runs import AsyncRuns
from cairn_client._async.store import AsyncSnippetStore
from cairn_client._async.system import AsyncSystem
from cairn_client._async.uploads import AsyncUploads
from cairn_client._async.users import AsyncUsers
from cairn_client._async.workspaces import AsyncWorkspaces
from cairn_client._settings import Overrides
from cairn_client._sync.chat import Chat
from cairn_client._sync.keys import Keys
from cairn_client._sync.learned import Executions, Functions, Logs, Patterns
from cairn_client._sync.organization import Organization
from cairn_client._sync.raw import (
    ExecutionsWithRawResponse,
    FunctionsWithRawResponse,
    KeysWithRawResponse,
    LogsWithRawResponse,
    OrganizationWithRawResponse,
    PatternsWithRawResponse,
    ReposWithRawResponse,
    RunsWithRawResponse,
    SnippetStoreWithRawResponse,
    SystemWithRawResponse,
    UploadsWithRawResponse,
    UsersWithRawResponse,
    WithRawResponse,
    WorkspacesWithRawResponse,
)
from cairn_client._sync.repos import Repos
from cairn_client._sync.runs import Runs
from cairn_client._sync.store import SnippetStore
from cairn_client._sync.system import System
from cairn_client._sync.uploads import Uploads
from cairn_client._sync.users import Users
from cairn_client._sync.workspaces import Workspaces

__all__ = [
    "AsyncChat",
    "AsyncExecutions",
    "AsyncExecutionsWithRawResponse",
    "AsyncFunctions",
    "AsyncFunctionsWithRawResponse",
    "AsyncKeys",
    "AsyncKeysWithRawResponse",
    "AsyncLogs",
    "AsyncLogsWithRawResponse",
    "AsyncOrganization",
    "AsyncOrganizationWithRawResponse",
    "AsyncPatterns",
    "AsyncPatternsWithRawResponse",
    "AsyncRepos",
    "AsyncReposWithRawResponse",
    "AsyncRuns",
    "AsyncRunsWithRawResponse",
    "AsyncSnippetStore",
    "AsyncSnippetStoreWithRawResponse",
    "AsyncSystem",
    "AsyncSystemWithRawResponse",
    "AsyncUploads",
    "AsyncUploadsWithRawResponse",
    "AsyncUsers",
    "AsyncUsersWithRawResponse",
    "AsyncWithRawResponse",
    "AsyncWorkspaces",
    "AsyncWorkspacesWithRawResponse",
    "Chat",
    "Executions",
    "ExecutionsWithRawResponse",
    "Functions",
    "FunctionsWithRawResponse",
    "Keys",
    "KeysWithRawResponse",
    "Logs",
    "LogsWithRawResponse",
    "Organization",
    "OrganizationWithRawResponse",
    "Overrides",
    "Patterns",
    "PatternsWithRawResponse",
    "Repos",
    "ReposWithRawResponse",
    "Runs",
    "RunsWithRawResponse",
    "SnippetStore",
    "SnippetStoreWithRawResponse",
    "System",
    "SystemWithRawResponse",
    "Uploads",
    "UploadsWithRawResponse",
    "Users",
    "UsersWithRawResponse",
    "WithRawResponse",
    "Workspaces",
    "WorkspacesWithRawResponse",
]
