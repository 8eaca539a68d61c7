"""What belongs together: keys, workspaces, uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack
from urllib.parse import quote

from cairn_client._async.chat import AsyncChat
from cairn_client._async.raw import (
    AsyncKeysWithRawResponse,
    AsyncUploadsWithRawResponse,
    AsyncUsersWithRawResponse,
    AsyncWorkspacesWithRawResponse,
)
from cairn_client._bodies import conditions, file_content, file_path, last_part, limits_of, word
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import (
    ChangedRole,
    CommitList,
    CommitWithDiff,
    Comparison,
    CreatedKey,
    DeleteFileResponse,
    DeleteWorkspaceResponse,
    EraseUserResponse,
    GradingStatus,
    KeyList,
    LimitedKey,
    OpenWorkspaceResponse,
    PutFileResponse,
    RestoreResponse,
    RevokedKey,
    Tree,
    UnpackResponse,
    UserList,
    WorkspaceList,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cairn_client._async.transport import AsyncTransport


class AsyncKeys:
    """The organization's API keys, for its owners and admins."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncKeysWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncKeysWithRawResponse(self)

    async def create(
        self,
        email: str,
        key_name: str,
        role: Literal["member", "admin", "reader"] | None = None,
        *,
        acts_as: str | None = None,
        acts_for: Literal["own", "any"] | None = None,
        read_only: bool | None = None,
        expires_at: str | None = None,
        workspaces: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> CreatedKey:
        """Creates a key for a person, who becomes a member if they are none yet.

        The full key is only ever in this answer: when it is lost, revoke it.

        Args:
            email: whose key it is.
            key_name: how it is shown, such as `laptop`.
            role: only owners may give `admin`. Unless given, `member` for who is new, and for a member their own, but
                no more than your key's. More than the person has becomes the person's; less is this key's alone.
            acts_as: the `user` of the person's chats. Default: the e-mail.
            acts_for: `own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in
                everybody's, as a back end does. Default: `own` for members
                and readers, else `any`.
            read_only: whether it only reads.
            expires_at: ISO 8601: from then on it is not valid.
            workspaces: ids of the workspaces that it works in.
            models: names of the models that it may ask for.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ValidationError: `validation/member_limit_reached`: the organization is full.
            PermissionDeniedError: the key may not give this one.
            ConflictError: `conflict/already_created`: made by an earlier attempt whose answer did not arrive.

        """
        limits = limits_of(acts_for, read_only, expires_at, workspaces, models)
        body = {"email": email, "key_name": key_name, "role": word(role), "acts_as": acts_as, **limits}
        request = Request("POST", "/api/keys/org/create", body, options=options)
        return await self._transport.ask(request, CreatedKey)

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> KeyList:
        """The organization's live keys, the oldest first, without their secrets.

        Args:
            limit: at most so many, 1 to 1,000. Default: 1,000.
            cursor: the `next_cursor` of an answer, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"limit": limit, "cursor": cursor}
        request = Request("POST", "/api/keys/org/list", {}, query=query, options=options)
        return await self._transport.ask(request, KeyList)

    async def limit(
        self,
        key_id: str,
        *,
        acts_for: Literal["own", "any"] | None = None,
        read_only: bool | None = None,
        expires_at: str | None = None,
        workspaces: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> LimitedKey:
        """Changes what bounds a key, at once; what is left out stays.

        Args:
            key_id: the `id` of a key.
            acts_for: `own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in
                everybody's, as a back end does.
            read_only: whether it only reads.
            expires_at: ISO 8601: from then on it is not valid.
            workspaces: ids of the workspaces that it works in.
            models: names of the models that it may ask for.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            APIError: 404 `not_found/api_key`; 403 `permission/only_owner_can_promote`: the key's person has more
                authority than yours.

        """
        body = {"key_id": key_id, **limits_of(acts_for, read_only, expires_at, workspaces, models)}
        return await self._transport.ask(Request("POST", "/api/keys/org/limit", body, options=options), LimitedKey)

    async def revoke(self, key_id: str, **options: Unpack[CallOptions]) -> RevokedKey:
        """Ends a key at once: `key_id` is the `id` of a key.

        Raises:
            NotFoundError: `not_found/api_key`: there is none, it is another organization's, or was revoked already.

        """
        request = Request("POST", "/api/keys/org/revoke", {"key_id": key_id}, options=options)
        return await self._transport.ask(request, RevokedKey)


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

    async def commits(
        self,
        workspace_id: str,
        *,
        limit: int | None = None,
        before: str | None = None,
        **options: Unpack[CallOptions],
    ) -> CommitList:
        """A workspace's commits, newest first.

        Args:
            workspace_id: the workspace.
            limit: at most so many, 1 to 1,000. Default: 50.
            before: only those older than this commit (a SHA).
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"limit": limit, "before": before}
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

    async def tree(self, workspace_id: str, *, at: str | None = None, **options: Unpack[CallOptions]) -> Tree:
        """The files at a commit.

        Args:
            workspace_id: the workspace.
            at: the commit (a SHA). Default: the head.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "workspaces", workspace_id, "tree")
        return await self._transport.ask(Request("GET", path, query={"at": at}, options=options), Tree)

    async def file(
        self, workspace_id: str, path: str, *, at: str | None = None, **options: Unpack[CallOptions]
    ) -> bytes:
        """The bytes of a file at a commit.

        Args:
            workspace_id: the workspace.
            path: from the workspace's folder on, such as `lib/words.py`.
            at: the commit (a SHA). Default: the head.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        response = await self._transport.send(
            Request("GET", _file_in(workspace_id, path), query={"at": at}, options=options)
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


class AsyncUsers:
    """The organization's people, for its owners and admins."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncUsersWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncUsersWithRawResponse(self)

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> UserList:
        """The organization's people, with their roles and when a key of theirs was last used.

        Who joined first comes first.

        Args:
            limit: at most so many, 1 to 1,000. Default: 1,000.
            cursor: the `next_cursor` of an answer, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"limit": limit, "cursor": cursor}
        return await self._transport.ask(Request("GET", "/api/users", query=query, options=options), UserList)

    async def change_role(
        self, user_id: str, role: Literal["admin", "member", "reader"], **options: Unpack[CallOptions]
    ) -> ChangedRole:
        """Changes a person's role, at once and for all of their keys.

        Only owners make admins, and take their role.

        Args:
            user_id: the one of `list`.
            role: what they may do from now on.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            APIError: 404 `not_found/user`; 403 `permission/only_owner_can_promote`; 409 `conflict/owner_stays`: who
                answers for the organization stays its owner.

        """
        path = path_of("api", "users", user_id, "role")
        return await self._transport.ask(Request("POST", path, {"role": word(role)}, options=options), ChangedRole)

    async def erase(self, user_id: str, **options: Unpack[CallOptions]) -> EraseUserResponse:
        """Erases a user for good: revokes the user's keys, deletes name and e-mail, and frees the seat.

        What the user stored for the organization stays, without their name. The same e-mail can be added again later.
        `user_id` is that of `list`. Raises `NotFoundError` `not_found/user`, and `ConflictError`
        `conflict/owner_stays`: the owner can't be erased.
        """
        path = path_of("api", "users", user_id)
        return await self._transport.ask(Request("DELETE", path, options=options), EraseUserResponse)


class AsyncUploads:
    """What became of uploads."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncUploadsWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncUploadsWithRawResponse(self)

    async def status(self, status: str, **options: Unpack[CallOptions]) -> GradingStatus:
        """How far a grading has come: `status` is an upload's `status_url`, or the id in it.

        Raises:
            NotFoundError: `not_found/status`: no such grading, or its snippets were deleted.

        """
        path = path_of("api", "store", "status", last_part(status))
        return await self._transport.ask(Request("GET", path, options=options), GradingStatus)
