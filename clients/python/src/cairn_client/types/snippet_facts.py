"""What is known of one snippet."""

from __future__ import annotations

from datetime import datetime

from cairn_client.types.model import Model, Result
from cairn_client.types.snippets import FunctionReputation


class SnippetFunctions(Result):
    """The functions of a snippet."""

    functions: list[FunctionReputation]
    """In the order of the source."""


class Retrieval(Model):
    """A search that found a snippet; those of one day that found the same snippets are one."""

    position: str
    """Where in the log it is."""
    retrieved_at: datetime
    """Of the first of them."""
    task: str | None = None
    """What it asked for; `None`: that was erased since."""
    found: int
    """How many snippets it found."""
    thumbs_up: int
    """Votes for this snippet within half an hour after it, by who had asked."""
    thumbs_down: int
    """Votes against it, in the same way."""


class RetrievalList(Result):
    """Searches that found a snippet."""

    retrievals: list[Retrieval]
    """The latest first."""
    next_cursor: str | None = None
    """For `cursor`; `None` at the end."""
