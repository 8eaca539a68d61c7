"""How the service is, and what was erased."""

from __future__ import annotations

from pydantic import Field

from cairn_client.types.model import Model, Result


class Health(Result):
    """That the process answers."""

    status: str
    """`healthy`."""


class LeftOut(Model):
    """Snippets that are stored and not found by all that they say."""

    count: int = 0
    snippets: list[str] = Field(default_factory=list)
    """The ids of 20 of them at most."""


class Readiness(Result):
    """Whether the service can answer everything."""

    status: str
    """`ready`, `starting` (a read model still catches up) or `failing` (one has stopped)."""
    read_models: dict[str, str] = Field(default_factory=dict)
    """Each read model's name to `ok`, `behind`, or why it stopped."""
    nearly_full: list[str] = Field(default_factory=list)
    """Disks of the service that have so little room left that writes to them are refused with a 507: `data`,
    `database`, `workspaces`. No reason not to serve."""
    left_out: LeftOut = Field(default_factory=LeftOut)
    """Snippets that are stored and not found by all that they say; no reason not to serve."""


class ModelPrices(Model):
    """US dollars for a million tokens."""

    input: float
    output: float
    cache_read: float
    """Tokens that the provider had in its prompt cache."""
    cache_write: float
    """Tokens that it put there."""


class ChatModel(Model):
    """A model that a chat may ask for."""

    name: str
    """What a chat asks for it by."""
    model: str
    """The full id that its provider knows it by."""
    provider: str
    """The API that it is asked by; `local` is no language model."""
    prices: ModelPrices | None = None
    """`None`: the service was told none."""


class ModelList(Result):
    """The models that a chat may ask for."""

    models: list[ChatModel]
    full_ids: bool
    """Whether a chat may ask for any other model, by its full id."""


class ErasedWorkspace(Model):
    """How much was erased of a workspace."""

    commits: int
    chats: int
    """Prompts, answers and every step of them."""
    files: int
    """That were in the workspace at last."""


class DeleteWorkspaceResponse(Result):
    """What was erased."""

    success: bool
    erased: ErasedWorkspace
    position: str
    """Of the event in the log that says so: for `after` of `events`."""


class ErasedUser(Model):
    """How much was erased of a user."""

    users: int
    keys: int
    """The user's API keys, which are revoked."""


class EraseUserResponse(Result):
    """What was erased."""

    success: bool
    erased: ErasedUser
    position: str
    """Of the last event in the log that says so: for `after` of `events`."""
