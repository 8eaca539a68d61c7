"""Workspaces, and what the agent did in them."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from cairn_client.types.model import Model, Result


class ChatResponse(Result):
    """What the agent said and did. A run that failed has `success` false; what it wrote is saved all the same."""

    success: bool
    output: str
    """What the agent says."""
    changed_files: list[str]
    """Paths that this call created or modified."""
    workspace_files: list[str]
    """All paths in the workspace."""
    duration_ms: int
    """Milliseconds."""
    session_id: str
    """The run."""
    error: str = ""
    """Why `success` is false; else `""`."""
    workspace_id: str
    """For `workspaces`."""
    commit: str
    """The SHA of the commit that holds the files."""


class WorkspaceActor(Model):
    """Who made a workspace's latest commit; `external` for somebody of another organization."""

    key_id: str | None = None
    """The API key; `None`: nobody with a key, but who operates the service."""
    user_id: str | None = None
    """The key's user."""
    organization_id: str | None = None
    """The key's organization; `None` of a personal key."""
    email: str | None = None
    """The user's e-mail as it is now; `erased` for somebody who was erased, `None` where there is no user."""


class Workspace(Result):
    """A workspace: the files of one (org, user)."""

    workspace_id: str
    """A UUID."""
    org_id: str
    """The `org` of its chats."""
    user_id: str
    """The `user` of its chats."""
    head: str
    """The SHA of its latest commit."""
    commits: int
    """How many there are."""
    files: int
    """How many there are at the head."""
    repository_bytes: int | None = None
    """Bytes that its commits brought, as the bound of that name counts them; `None`: one is older than the count."""
    updated_at: datetime
    """When the latest commit was made."""
    updated_by: WorkspaceActor | None = None
    """Who made it: of a chat's, who asked for it. `None`: the service does not say it."""


class WorkspaceList(Result):
    """The caller's workspaces."""

    workspaces: list[Workspace]
    """The one changed last first."""
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class CommitAuthor(Model):
    """Who made a commit."""

    name: str
    email: str


class FileChange(Model):
    """A file that a commit changed."""

    path: str
    status: str
    """`created`, `modified` or `deleted`."""
    sha: str = ""
    """Of its blob, as it is then; of a deleted one as it was. A created one with the same was renamed."""


class CommitFields(Model):
    """What every commit has."""

    sha: str
    """40 hexadecimal digits."""
    parents: list[str]
    """SHAs; none of the first commit."""
    message: str
    author: CommitAuthor
    committed_at: datetime
    session_id: str | None = None
    """The run that made it; `None` when none did."""
    event_id: str
    """The event in the log that says so."""
    changes: list[FileChange] = Field(default_factory=list)
    """Against its first parent."""


class Commit(CommitFields):
    """A commit of a workspace's history."""


class CommitList(Result):
    """Some of a workspace's commits."""

    commits: list[Commit]
    """The newest first."""
    next_before: str | None = None
    """For `before`; `None` at the beginning of the history."""


class CommitWithDiff(CommitFields, Result):
    """One commit with its diff."""

    diff: str
    """Unified, against its first parent."""


class Comparison(Result):
    """What differs between two commits."""

    base: str
    """The commit that was compared with."""
    at: str
    """The commit that was compared."""
    diff: str
    """Unified."""


class TreeFile(Model):
    """A file at a commit."""

    path: str
    size: int
    """Bytes."""
    mode: str
    """As git writes it, such as `100644`."""
    sha: str
    """Of its content: git's name of the blob."""


class Tree(Result):
    """The files at a commit."""

    files: list[TreeFile]


class OpenWorkspaceResponse(Result):
    """A workspace that is there now."""

    success: bool
    workspace_id: str
    """A UUID."""
    commit: str
    """The head's SHA: an empty commit where the workspace was made."""


class PutFileResponse(Result):
    """A file that is in the workspace now."""

    success: bool
    commit: str
    """The head's SHA: a new commit, or the one that has the file so already."""
    sha: str
    """Of the file's content: for `if_match`."""


class DeleteFileResponse(Result):
    """A file that is in the workspace no more."""

    success: bool
    commit: str
    """The head's SHA: a new commit without the file."""


class UnpackResponse(Result):
    """An archive whose files are in the workspace now."""

    success: bool
    commit: str
    """The head's SHA: a new commit, or the one that has all of it already."""
    created: int
    """Files that were not there before."""
    modified: int
    """Files that have other content or another mode now."""
    deleted: int
    """Files that are there no more."""


class RestoreResponse(Result):
    """The commit that brought earlier files back."""

    success: bool
    commit: str
    """The head's SHA: a new commit with the old one's files, or the one that has them already."""
