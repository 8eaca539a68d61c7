"""Workspaces, and what the agent did in them."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from cairn_client.types.model import Model, Result


class ChatResponse(Result):
    """What the agent said and did."""

    success: bool
    output: str
    changed_files: list[str]
    """Created or modified by this call."""
    workspace_files: list[str]
    duration_ms: int
    session_id: str | None = None
    error: str = ""
    """Why `success` is false; else `""`."""
    workspace_id: str | None = None
    commit: str | None = None


class Workspace(Model):
    """A workspace: the files of one (org, user)."""

    workspace_id: str
    org_id: str
    user_id: str
    head: str
    commits: int
    files: int
    updated_at: datetime


class WorkspaceList(Result):
    """The caller's workspaces, the one changed last first."""

    workspaces: list[Workspace]


class CommitAuthor(Model):
    """Who made a commit."""

    name: str
    email: str


class FileChange(Model):
    """A file that a commit changed."""

    path: str
    status: str
    """`created`, `modified` or `deleted`."""


class CommitFields(Model):
    """What every commit has."""

    sha: str
    parents: list[str]
    message: str
    author: CommitAuthor
    committed_at: datetime
    session_id: str | None = None
    event_id: str
    changes: list[FileChange] = Field(default_factory=list)


class Commit(CommitFields):
    """A commit of a workspace's history."""


class CommitList(Result):
    """A workspace's commits, newest first."""

    commits: list[Commit]


class CommitWithDiff(CommitFields, Result):
    """One commit with its unified diff."""

    diff: str


class TreeFile(Model):
    """A file at a commit."""

    path: str
    size: int
    mode: str
    sha: str


class Tree(Result):
    """The files at a commit."""

    files: list[TreeFile]


class RestoreResponse(Result):
    """The commit that brought earlier files back."""

    success: bool
    commit: str
