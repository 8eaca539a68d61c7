"""Snippets, as they are found."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from cairn_client.types.model import Model, OpenEnum, Result


class ExecutionState(OpenEnum):
    """How a run ended."""

    COMPLETED = "completed"
    """Successfully."""
    ERRORED = "errored"
    """With an error."""
    TIMED_OUT = "timed_out"
    """It took longer than it was given."""
    CANCELLED = "cancelled"
    """Somebody ended it."""


class AgentVerdict(OpenEnum):
    """What was thought of a run or a snippet."""

    THUMBS_UP = "thumbs_up"
    """Useful."""
    THUMBS_DOWN = "thumbs_down"
    """Not useful."""
    PENDING = "pending"
    """Nobody has said yet."""


class CodeBlock(Model):
    """A stored snippet."""

    id: str
    """A UUID."""
    name: str
    """What people call it; several may have the same."""
    description: str
    """What it does; `""` when nobody said."""
    source: str
    """All of its code."""
    entrypoint: str
    """The function to call; `""` when there is none."""
    language: str
    """The programming language in lower case, such as `python`."""
    language_version: str | None = None
    dependencies: dict[str, str] = Field(default_factory=dict)
    """Package name to version; a version that nobody told is `""`."""
    tags: list[str] = Field(default_factory=list)
    """Words that it is found by."""
    capabilities: list[str] = Field(default_factory=list)
    """What it can do."""
    input_schema: dict[str, Any] = Field(default_factory=dict)
    """A JSON schema of what the entrypoint takes; `{}` when nothing is known."""
    output_schema: dict[str, Any] = Field(default_factory=dict)
    """A JSON schema of what the entrypoint gives; `{}` when nothing is known."""
    example_queries: list[str] | None = None
    """Tasks that it is for."""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    """When it was last uploaded again; votes don't count."""
    agent_id: str | None = None
    """The agent that uploaded it."""


class SnippetComment(Model):
    """What somebody said of a snippet."""

    id: str
    """A UUID."""
    email: str
    """Of who said it; `external` for somebody of another organization, `erased` when that was asked for."""
    agent_id: str | None = None
    """The agent that said it on their behalf (`agent_id` of its client); `None` when a person did, or a stranger."""
    text: str
    created_at: datetime


class FunctionReputation(Model):
    """What is known of a function, from all snippets of the organization that hold it."""

    fingerprint: str
    """`fn_…`: the same when the function is reformatted, or its local names are changed."""
    function_name: str
    signature: str
    """As the language writes it."""
    execution_count: int = 0
    """Runs of snippets that hold it."""
    thumbs_up: int = 0
    """Votes for it, counted as often as they say."""
    thumbs_down: int = 0
    """Votes against it, counted as often as they say."""
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    common_errors: list[str] = Field(default_factory=list)
    """At most five, the most frequent first."""
    avg_output_size: float = 0
    """Of what its logged calls returned; 0 when none was logged."""
    output_completeness: float = 0
    """0 to 1: logged calls that returned something."""
    repeat_call_rate: float = 0
    """0 to 1: logged calls beyond the first of a run."""
    total_logged_calls: int = 0
    author_agent: str | None = None
    """The agent that uploaded it."""
    reviewed_by_human: bool = False
    """Whether a person voted on it."""
    derived_from: str | None = None
    """The fingerprint that bore its name before."""


class ExplainedWord(Model):
    """A stem of a word of the task that a match has."""

    word: str
    place: str
    """`name`, `description`, `tasks` or `source`."""
    share: float
    """What it gives of `word_share`."""
    asked: str | None = None
    """The word of the task that was taken for it, where no snippet has that."""


class NearestPiece(Model):
    """What in a match is nearest to a piece of the task."""

    asked: str
    found: str
    place: str
    """`name`, `description`, `tasks` or `source`."""
    cosine: float


class ScoreEffect(Model):
    """Something that moved a score."""

    value: float
    effect: float
    """What it adds to the logarithm of the odds (`hub`: to the strength); 0 changes nothing."""


class LengthEffect(Model):
    """What the length of a source adds to the strength of a match."""

    characters: int
    effect: float


class LearnedTask(Model):
    """A task near to this one for which somebody voted on a match."""

    task: str | None = None
    """`None` where it is somebody else's."""
    up: int
    """Voters who said that it helped."""
    down: int
    """Voters who said that it did not."""
    nearness: float
    """0 to 1: how near it is to what was asked."""


class LearnedEffect(Model):
    """What votes for tasks near to this one add to a score."""

    effect: float
    """What they add to the logarithm of the odds; 0 changes nothing."""
    tasks: list[LearnedTask]
    """The nearest first."""


class Explanation(Model):
    """Why a match has its score."""

    probability: float
    """0 to 1: how likely it is by words and meaning alone that it answers the task."""
    word_share: float
    """0 to 1: the share of the task's words that it has, by their rareness."""
    words: list[ExplainedWord]
    """The greatest share first."""
    meaning_by: str = "table"
    """Whose vectors say how near the meanings are: `table`, or the name of an embedding model."""
    cosine: float
    """0 to 1: how near the meanings are."""
    nearest: list[NearestPiece]
    """The nearest first."""
    verdict: ScoreEffect
    """Its votes."""
    completeness: ScoreEffect
    """How complete it looks; counts only with `prefer_complete`."""
    learned: LearnedEffect | None = None
    """Votes for tasks near to this one; `None` from a service that learns nothing from them."""
    hub: ScoreEffect
    """How near it is to everything, which tells against it."""
    length: LengthEffect
    """How long its source is."""


class SearchMatch(Model):
    """A snippet that fits a task."""

    code_block: CodeBlock
    score: float
    """0 to 1: how likely it is that it answers the task, votes counted."""
    thumbs_up: int
    """Votes for it, counted as often as they say."""
    thumbs_down: int
    """Votes against it, counted as often as they say."""
    filename: str
    """Flat and safe to write, unique among the matches of an answer."""
    language: str
    """As `code_block` says."""
    entrypoint: str
    """As `code_block` says."""
    dependencies: dict[str, str] = Field(default_factory=dict)
    """As `code_block` says."""
    functions: list[FunctionReputation] | None = None
    """`None` unless `per_function_reputation` was asked for."""
    explanation: Explanation | None = None
    """`None` unless `explain` was asked for."""
    combined_score: float = 0
    """The same as `score`."""
    vector_score: float = 0
    """0 to 1: how near its meaning is; 0 where the service has no vectors."""
    verdict_score: float = 0.5
    """0 to 1: what its votes say; 0.5 without any."""
    offered: bool = False
    """Whether it is worth giving to an agent as code for the task: near enough, and no more votes against than for."""
    error_resilience: float = 1
    """0 to 1: the share of its uploads and runs that went well."""
    agent_id: str | None = None
    """The agent that uploaded it."""
    comments: list[SnippetComment] = Field(default_factory=list)
    """The latest 20."""
    type: str = "file"
    """`file`, or `repo` with the fields below."""
    download_url: str | None = None
    """Where all files of a repository are, relative to the service."""
    file_tree: str | None = None
    """The paths of a repository's files, one a line."""
    file_count: int | None = None
    framework: str | None = None
    readme_preview: str | None = None
    """The first 500 characters."""

    def model_post_init(self, _: Any) -> None:
        """Completes what an answer may leave out."""
        if "combined_score" not in self.model_fields_set:
            self.combined_score = self.score


class MendedWord(Model):
    """A word of the task that no snippet has, and so was taken for others."""

    asked: str
    found: list[str]
    """The likeliest first."""


class SearchResponse(Result):
    """What a search found, best first."""

    matches: list[SearchMatch]
    """The best first."""
    total_found: int
    """All that match, before `top_k`."""
    cache_hit: bool
    """Whether the service had the answer in its memory."""
    search_namespaces: list[str] = Field(default_factory=list)
    """What was searched: `organization` or `personal`, `workspace`, `public`."""
    mended: list[MendedWord] = Field(default_factory=list)
    """Words of the task that no snippet has, and what they were taken for."""
    fallback: str | None = None
    """Why it was searched by the service's own table where its operator has named an embedding
    model: `not_embedded`, it did not embed the task in time; `filling`, it has yet to embed what is
    stored. `None` otherwise."""
    stale: bool = False
    """What was stored last may be missing: it is found by the same call a moment later."""


class DeleteResponse(Result):
    """What was deleted."""

    success: bool
    deleted_count: int
    message: str
    """For a person."""


class VoteCodeSnipResponse(Result):
    """That a vote is taken; the next search counts it."""

    success: bool
    vote_pending: bool
    """Whether the vote is still being applied: it is accepted, and counts in a moment."""
    message: str
    """For a person."""
