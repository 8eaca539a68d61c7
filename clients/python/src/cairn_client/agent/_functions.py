"""Functions that agents may find and call."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from cairn_client._sync.client import Cairn
from cairn_client.compat._async.client import AsyncRaySurfer
from cairn_client.compat._sync.client import RaySurfer
from cairn_client.compat.accessible import agent_accessible, note_published, registry_block, to_anthropic_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cairn_client._async.client import AsyncCairn

P = ParamSpec("P")
T = TypeVar("T")

_VALUES = "_cairn_record_values"


def agent_function(
    description: str | None = None,
    *,
    name: str | None = None,
    input_schema: dict[str, Any] | None = None,
    record_values: bool = False,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes a function one that agents may find and call. It works as before.

    `publish_functions` stores it as a snippet. From then on each call is recorded: whether it failed and how, how long
    it ran, how much it took and gave. That never raises, and gives up after five seconds.

    Args:
        description: what it does, in plain words: it is found by them. Its docstring unless given.
        name: its own unless given.
        input_schema: a JSON schema of its parameters; from its type hints and its docstring's `Args:` unless given.
        record_values: records what calls take and give, too, up to 200,000 characters of JSON each.

    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        marked = agent_accessible(description, name=name, input_schema=input_schema)(function)
        setattr(marked, _VALUES, record_values)
        return marked

    return decorate


def function_tool(function: Callable[..., Any]) -> dict[str, Any]:
    """An `agent_function` as a tool of the Messages API."""
    _check(function)
    return to_anthropic_tool(function)


async def publish_functions(client: Cairn | AsyncCairn, functions: Sequence[Callable[..., Any]]) -> list[str]:
    """Stores functions as snippets, and records their calls from then on.

    The same code again is the same snippet.

    Args:
        client: stores them, and records their calls: keep it open as long as they are called.
        functions: each an `agent_function`.

    Returns:
        The functions' names.

    Raises:
        ValueError: one is no `agent_function`, or its source can't be read. Those before it are stored.
        ServiceError: as `upload` raises it.

    """
    names: list[str] = []
    for function in functions:
        _check(function)
        block = registry_block(function)
        if block is None:
            raise ValueError(f"The source of {_name(function)} can't be read; expected a function of a file")
        stored = _recorder(client, getattr(function, _VALUES))
        answer = stored.store_code_block(**{**block, "tags": ["function"]})
        names.append(note_published(function, stored, await answer if inspect.isawaitable(answer) else answer))
    return names


def _name(function: object) -> str:
    return str(getattr(function, "__name__", repr(function)))


def _check(function: Callable[..., Any]) -> None:
    if not hasattr(function, _VALUES):
        raise ValueError(f"{_name(function)} is not for agents; decorate it with @agent_function() first")


def _characters(value: object) -> dict[str, int]:
    return {"characters": len(json.dumps(value, ensure_ascii=False))}


def _noted(execution: dict[str, Any], values: bool) -> dict[str, Any]:
    """An execution with all that a call took and gave, or only how much."""
    noted = {**execution, "triggering_task": f"call {execution['triggering_task'].partition(':')[2]}"}
    if not values:
        given = execution["input_data"]
        parts = {name: _characters(given[name]) for name in ("args", "kwargs") if name in given}
        noted["input_data"] = parts or given
        # what is too large says only how much it is already; an error is told as such
        too_large = isinstance(execution["output_data"], dict) and "omitted" in execution["output_data"]
        if execution["error_type"] is None and not too_large:
            noted["output_data"] = _characters(execution["output_data"])
    return noted


class _Recorder(RaySurfer):
    """Records over a client's connections."""

    values: bool

    def for_tracking(self, workspace_id: str | None = None, *, apart: bool = False) -> _Recorder:
        copy = super().for_tracking(workspace_id, apart=apart)
        copy.values = self.values
        return copy

    def store_execution(self, *args: Any, **execution: Any) -> Any:
        return super().store_execution(*args, **_noted(execution, self.values))


class _AsyncRecorder(AsyncRaySurfer):
    """Records over a client's connections."""

    values: bool

    def for_tracking(self, workspace_id: str | None = None, *, apart: bool = False) -> _AsyncRecorder:
        copy = super().for_tracking(workspace_id, apart=apart)
        copy.values = self.values
        return copy

    async def store_execution(self, *args: Any, **execution: Any) -> Any:
        return await super().store_execution(*args, **_noted(execution, self.values))


def _recorder(client: Cairn | AsyncCairn, values: bool) -> _Recorder | _AsyncRecorder:
    kind: Any = _Recorder if isinstance(client, Cairn) else _AsyncRecorder
    recorder: Any = kind.__new__(kind)
    recorder._transport = client._transport  # noqa: SLF001 # the same library
    recorder._owned = client._owned  # noqa: SLF001
    recorder.values = values
    made: _Recorder | _AsyncRecorder = recorder
    return made
