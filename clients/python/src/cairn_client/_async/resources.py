"""What belongs together: keys, workspaces, uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack
from urllib.parse import quote

from cairn_client._bodies import file_path, status_id, word
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import (
    CommitList,
    CommitWithDiff,
    CreatedKey,
    GradingStatus,
    KeyList,
    RestoreResponse,
    RevokedKey,
    Tree,
    WorkspaceList,
)

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport


class AsyncKeys:
    """The organization's API keys, for its owners and admins."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, email: str, key_name: str, role: Literal["member", "admin"] = "member", **options: Unpack[CallOptions]
    ) -> CreatedKey:
        """Creates a key for a person, who becomes a member if they are none yet. Only owners make admins.

        The full key is only ever in this answer.
        """
        body = {"email": email, "key_name": key_name, "role": word(role)}
        request = Request("POST", "/api/keys/org/create", body, options=options)
        return await self._transport.ask(request, CreatedKey)

    async def list(self, **options: Unpack[CallOptions]) -> KeyList:
        """The organization's live keys, without their secrets."""
        return await self._transport.ask(Request("POST", "/api/keys/org/list", {}, options=options), KeyList)

    async def revoke(self, key_id: str, **options: Unpack[CallOptions]) -> RevokedKey:
        """Ends a key at once."""
        request = Request("POST", "/api/keys/org/revoke", {"key_id": key_id}, options=options)
        return await self._transport.ask(request, RevokedKey)


class AsyncWorkspaces:
    """The workspaces that chats work in, and their git history."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, **options: Unpack[CallOptions]) -> WorkspaceList:
        """All workspaces of the organization, the one changed last first."""
        return await self._transport.ask(Request("GET", "/api/workspaces", options=options), WorkspaceList)

    async def commits(
        self,
        workspace_id: str,
        *,
        limit: int | None = None,
        before: str | None = None,
        **options: Unpack[CallOptions],
    ) -> CommitList:
        """A workspace's commits, newest first: at most `limit` (1-1000, else 50), older than the commit `before`."""
        query = {"limit": limit, "before": before}
        request = Request("GET", path_of("api", "workspaces", workspace_id, "commits"), query=query, options=options)
        return await self._transport.ask(request, CommitList)

    async def commit(self, workspace_id: str, sha: str, **options: Unpack[CallOptions]) -> CommitWithDiff:
        """One commit with its unified diff."""
        path = path_of("api", "workspaces", workspace_id, "commits", sha)
        return await self._transport.ask(Request("GET", path, options=options), CommitWithDiff)

    async def tree(self, workspace_id: str, *, at: str | None = None, **options: Unpack[CallOptions]) -> Tree:
        """The files at a commit, or at the head."""
        path = path_of("api", "workspaces", workspace_id, "tree")
        return await self._transport.ask(Request("GET", path, query={"at": at}, options=options), Tree)

    async def file(
        self, workspace_id: str, path: str, *, at: str | None = None, **options: Unpack[CallOptions]
    ) -> bytes:
        """The bytes of a file at a commit, or at the head."""
        address = path_of("api", "workspaces", workspace_id, "files") + "/" + quote(file_path(path), safe="/")
        response = await self._transport.send(Request("GET", address, query={"at": at}, options=options))
        return response.content

    async def restore(self, workspace_id: str, commit: str, **options: Unpack[CallOptions]) -> RestoreResponse:
        """Makes a new commit with an older one's files. History is never rewritten."""
        path = path_of("api", "workspaces", workspace_id, "restore")
        return await self._transport.ask(Request("POST", path, {"commit": commit}, options=options), RestoreResponse)


class AsyncUploads:
    """What became of uploads."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def status(self, status: str, **options: Unpack[CallOptions]) -> GradingStatus:
        """How far a grading has come: `status` is an upload's `status_url`, or the id in it."""
        path = path_of("api", "store", "status", status_id(status))
        return await self._transport.ask(Request("GET", path, options=options), GradingStatus)
