"""Workspaces, and their history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack
from urllib.parse import quote

from cairn_client._async.chat import AsyncChat
from cairn_client._async.raw import AsyncWorkspacesWithRawResponse
from cairn_client._bodies import conditions, file_content, file_path
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import (
    CommitList,
    CommitWithDiff,
    Comparison,
    DeleteFileResponse,
    DeleteWorkspaceResponse,
    OpenWorkspaceResponse,
    PutFileResponse,
    RestoreResponse,
    Tree,
    UnpackResponse,
    Workspace,
    WorkspaceList,
)

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport


class AsyncWorkspaces:
    """The workspaces that chats work in, and their git history.

    A `workspace_id` is that of `list` or of a chat's answer. What is not there is a `NotFoundError`:
    `not_found/workspace`, `not_found/commit` or `not_found/file`.
    """

    chat: AsyncChat
    """`chat` of the client itself."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.chat = AsyncChat(transport)

    @property
    def with_raw_response(self) -> AsyncWorkspacesWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncWorkspacesWithRawResponse(self)

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> WorkspaceList:
        """The workspaces of the organization, the one changed last first.

        Args:
            limit: at most so many, 1 to 1,000. Default: 1,000.
            cursor: the `next_cursor` of an answer, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"limit": limit, "cursor": cursor}
        request = Request("GET", "/api/workspaces", query=query, options=options)
        return await self._transport.ask(request, WorkspaceList)

    async def get(self, workspace_id: str, **options: Unpack[CallOptions]) -> Workspace:
        """One workspace as it stands: what `list` has of it.

        Args:
            workspace_id: the workspace.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "workspaces", workspace_id)
        return await self._transport.ask(Request("GET", path, options=options), Workspace)

    async def commits(
        self,
        workspace_id: str,
        *,
        limit: int | None = None,
        before: str | None = None,
        at: str | None = None,
        path: str | None = None,
        **options: Unpack[CallOptions],
    ) -> CommitList:
        """A workspace's commits, newest first.

        Args:
            workspace_id: the workspace.
            limit: at most so many, 1 to 1,000. Default: 50.
            before: only those older than this commit (a SHA).
            at: this commit and those older, in place of `before`.
            path: only those that created, changed or deleted this file, of up to 1,000 commits at a time.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"limit": limit, "before": before, "at": at, "path": path}
        request = Request("GET", path_of("api", "workspaces", workspace_id, "commits"), query=query, options=options)
        return await self._transport.ask(request, CommitList)

    async def commit(self, workspace_id: str, sha: str, **options: Unpack[CallOptions]) -> CommitWithDiff:
        """One commit with its unified diff.

        Args:
            workspace_id: the workspace.
            sha: the commit.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "workspaces", workspace_id, "commits", sha)
        return await self._transport.ask(Request("GET", path, options=options), CommitWithDiff)

    async def compare(
        self, workspace_id: str, *, base: str, at: str | None = None, **options: Unpack[CallOptions]
    ) -> Comparison:
        """What differs between two commits, whichever came first.

        Args:
            workspace_id: the workspace.
            base: the commit to compare with (a SHA).
            at: the commit that is compared. Default: the head.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "workspaces", workspace_id, "compare")
        query = {"base": base, "at": at}
        return await self._transport.ask(Request("GET", path, query=query, options=options), Comparison)

    async def tree(
        self,
        workspace_id: str,
        *,
        at: str | None = None,
        run: str | None = None,
        turn: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Tree:
        """The files at a commit; or after a turn of a run of the workspace, as that had them.

        Raises `NotFoundError` `not_found/tree` where no commit has those of a turn, and they are kept no more.

        Args:
            workspace_id: the workspace.
            at: the commit (a SHA). Default: the head.
            run: a run of the workspace: the files are those that it had after `turn`.
            turn: from 1.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "workspaces", workspace_id, "tree")
        query = {"at": at, "run": run, "turn": turn}
        return await self._transport.ask(Request("GET", path, query=query, options=options), Tree)

    async def file(
        self,
        workspace_id: str,
        path: str,
        *,
        at: str | None = None,
        run: str | None = None,
        turn: int | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """The bytes of a file at a commit, or after a turn, as for `tree`.

        Args:
            workspace_id: the workspace.
            path: from the workspace's folder on, such as `lib/words.py`.
            at: the commit (a SHA). Default: the head.
            run: a run of the workspace: the file is as it was after `turn`.
            turn: from 1.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"at": at, "run": run, "turn": turn}
        response = await self._transport.send(
            Request("GET", _file_in(workspace_id, path), query=query, options=options)
        )
        return response.content

    async def open(self, *, org: str, user: str, **options: Unpack[CallOptions]) -> OpenWorkspaceResponse:
        """Makes the workspace of (org, user) before any chat, so that files can be put into it; or finds it.

        Args:
            org: the organization, as chats call it.
            user: the person, as chats call it.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = {"org_id": org, "user_id": user}
        return await self._transport.ask(
            Request("POST", "/api/workspaces", body, options=options), OpenWorkspaceResponse
        )

    async def put_file(
        self,
        workspace_id: str,
        path: str,
        content: str | bytes,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        **options: Unpack[CallOptions],
    ) -> PutFileResponse:
        """Puts a file into a workspace, in place of what is at the path: one commit. Up to 32 MiB.

        Args:
            workspace_id: the workspace.
            path: from the workspace's folder on, such as `lib/words.py`; folders are made.
            content: the whole file.
            if_match: only where the file's content is of this SHA; `*`: only where there is a file.
            if_none_match: only where it is not of this SHA; `*`: only where there is no file.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            APIError: 412 `precondition/failed`: the file is not as `if_match` or `if_none_match` says.

        """
        headers = conditions(if_match, if_none_match)
        sent = file_content(content)
        request = Request("PUT", _file_in(workspace_id, path), content=sent, headers=headers, options=options)
        return await self._transport.ask(request, PutFileResponse)

    async def delete_file(
        self,
        workspace_id: str,
        path: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        **options: Unpack[CallOptions],
    ) -> DeleteFileResponse:
        """Deletes a file of a workspace: one commit; earlier ones keep it.

        Args:
            workspace_id: the workspace.
            path: from the workspace's folder on, such as `lib/words.py`.
            if_match: only where the file's content is of this SHA.
            if_none_match: only where it is not of this SHA.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            APIError: 404 `not_found/file`, and 412 `precondition/failed`.

        """
        headers = conditions(if_match, if_none_match)
        request = Request("DELETE", _file_in(workspace_id, path), headers=headers, options=options)
        return await self._transport.ask(request, DeleteFileResponse)

    async def unpack(
        self,
        workspace_id: str,
        archive: bytes,
        *,
        path: str | None = None,
        replace: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> UnpackResponse:
        """Unpacks a zip, a tar, or a tar with gzip into a workspace: all of it as one commit, or nothing.

        Args:
            workspace_id: the workspace.
            archive: up to 32 MiB, and 128 MiB and 10,000 entries unpacked.
            path: the folder that it goes into. Default: the root.
            replace: whether what else is in that folder goes. Default: it stays.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ValidationError: `validation/invalid_archive`: it is none, does not end, or something in it would lead out.

        """
        query = {"path": path, "replace": None if replace is None else str(replace).lower()}
        address = path_of("api", "workspaces", workspace_id, "archive")
        request = Request("POST", address, query=query, content=file_content(archive), options=options)
        return await self._transport.ask(request, UnpackResponse)

    async def restore(self, workspace_id: str, commit: str, **options: Unpack[CallOptions]) -> RestoreResponse:
        """Makes a new commit with an older one's files. History is never rewritten.

        Args:
            workspace_id: the workspace.
            commit: the older one (a SHA).
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        path = path_of("api", "workspaces", workspace_id, "restore")
        return await self._transport.ask(Request("POST", path, {"commit": commit}, options=options), RestoreResponse)

    async def delete(self, workspace_id: str, **options: Unpack[CallOptions]) -> DeleteWorkspaceResponse:
        """Erases a workspace for good: its files, its git history and the texts of all its chats.

        For owners and admins. Stops a run that is at work in it. The next chat of the same (org, user) begins in an
        empty workspace with the same id.
        """
        path = path_of("api", "workspaces", workspace_id)
        return await self._transport.ask(Request("DELETE", path, options=options), DeleteWorkspaceResponse)


def _file_in(workspace_id: str, path: str) -> str:
    return path_of("api", "workspaces", workspace_id, "files") + "/" + quote(file_path(path), safe="/")
