"""Found snippets as files."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from cairn_client.types.model import Model, Result


class CodeFile(Model):
    """A found snippet as a file."""

    code_block_id: str
    """The snippet, for votes."""
    filename: str
    """Flat and safe to write, unique among the files of an answer."""
    source: str
    """All of its code."""
    entrypoint: str
    """The function to call; `""` when there is none."""
    description: str
    """What it does; `""` when nobody said."""
    input_schema: dict[str, Any] = Field(default_factory=dict)
    """A JSON schema of what the entrypoint takes; `{}` when nothing is known."""
    output_schema: dict[str, Any] = Field(default_factory=dict)
    """A JSON schema of what the entrypoint gives; `{}` when nothing is known."""
    language: str
    """The programming language in lower case, such as `python`."""
    dependencies: dict[str, str] = Field(default_factory=dict)
    """Package name to version; a version that nobody told is `""`."""
    score: float = 0.0
    """0 to 1: relevance and votes together."""
    thumbs_up: int = 0
    """Votes for it, counted as often as they say."""
    thumbs_down: int = 0
    """Votes against it, counted as often as they say."""
    path: str | None = None
    """Where it was written, or `None` when it was not."""


class CodeFilesResponse(Result):
    """Found snippets as files, and a text that tells a language model of them."""

    files: list[CodeFile]
    """The best first."""
    task: str
    """As it was asked for."""
    total_found: int
    """All that match, before `top_k` and `min_score`."""
    add_to_llm_prompt: str = ""
    """For the end of a language model's prompt: which files there are, and how to use them. `""` without any."""
