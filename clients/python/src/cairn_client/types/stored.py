"""What becomes of what is stored as it is: code blocks, repositories, comments."""

from __future__ import annotations

from cairn_client.types.inputs import FileWritten
from cairn_client.types.model import Result
from cairn_client.types.snippets import SnippetComment


class StoreCodeBlockResponse(Result):
    """What was stored."""

    success: bool
    code_block_id: str
    embedding_id: str
    """The same as `code_block_id`."""
    message: str


class StoreRepoResponse(Result):
    """Which repository was stored."""

    success: bool
    repo_id: str
    """The snippet's id: for `repos.get`, votes and `delete`."""
    message: str


class Repo(Result):
    """All files of a repository."""

    repo_id: str
    name: str
    files: list[FileWritten]


class CommentResponse(Result):
    """The comment, as others see it."""

    success: bool
    comment: SnippetComment


class CommentList(Result):
    """Comments on a snippet."""

    comments: list[SnippetComment]
    """The latest first."""
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""


class DeleteCommentResponse(Result):
    """What became of a comment that was to be deleted."""

    success: bool
    """True: whatever goes wrong is raised."""
    message: str
    """What was done, in words."""
