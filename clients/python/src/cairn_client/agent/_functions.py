"""Functions that agents may find and call."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from cairn_client.agent._offer import called
from cairn_client.agent._recordable import recordable, size_of
from cairn_client.agent._recorder import Recorder
from cairn_client.agent._screen import redacted, secrets_of, storable
from cairn_client.agent._watched import Run, watched
from cairn_client.compat._described import described_parameters, input_schema_of, own_source
from cairn_client.compat._tracking import state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cairn_client._async.client import AsyncCairn
    from cairn_client._sync.client import Cairn

P = ParamSpec("P")
T = TypeVar("T")

_KNOWN = "_cairn_function"
_LONGEST_ERROR = 10_000


@dataclass
class _Function:
    """What is known of a function that agents may call."""

    name: str
    description: str
    input_schema: dict[str, Any]
    source: str
    entrypoint: str
    values: bool
    # where its calls are recorded, once it is published
    recorder: Recorder | None = None
    code_block_id: str = ""

    def ended(self, run: Run) -> None:
        """A call ended."""
        if self.recorder is None:
            return
        noted = recordable if self.values else size_of
        error = run.error
        given = {"args": noted(run.args), **({"kwargs": noted(run.kwargs)} if run.kwargs else {})}
        gave = None if error is not None else noted(run.result)
        body = {
            "code_block_id": self.code_block_id,
            "triggering_task": f"call {self.name}",
            "io": {"input_data": given, "output_data": gave, "output_type": type(gave).__name__},
            "execution_state": state_of(error).value,
            "duration_ms": run.duration_ms,
            "error_message": None if error is None else _text_of(error),
            "error_type": None if error is None else type(error).__name__,
        }
        self.recorder.soon(body)


def _text_of(error: BaseException) -> str:
    """An error's text, which may name what the call took."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 # how an error tells of itself may be anything
        return "something that has no text"
    return storable(redacted(text, secrets_of(os.environ))[:_LONGEST_ERROR])


def agent_function(
    description: str | None = None,
    *,
    name: str | None = None,
    input_schema: dict[str, Any] | None = None,
    record_values: bool = False,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes a function one that agents may find and call. It works as before.

    `publish_functions` stores it as a snippet. From then on each call is recorded: whether it failed and how, how long
    it ran, how much it took and gave. A generator's call ends when it does. No call waits for its record; the program
    does when it ends, for a minute at most, and for at most five seconds in which none comes through.

    Args:
        description: what it does, in plain words: it is found by them. Its docstring unless given.
        name: its own unless given.
        input_schema: a JSON schema of its parameters; from its type hints and its docstring's `Args:` unless given.
        record_values: records what calls take and give, too, up to 100,000 characters of JSON each.

    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        known = _Function(
            name=name or function.__name__,
            description=description or inspect.getdoc(function) or "",
            input_schema=input_schema or input_schema_of(function, described_parameters(function)),
            source=own_source(function),
            entrypoint=function.__name__,
            values=record_values,
        )
        marked = watched(function, known.ended)
        setattr(marked, _KNOWN, known)
        return marked

    return decorate


def function_tool(function: Callable[..., Any]) -> dict[str, Any]:
    """An `agent_function` as a tool of the Messages API."""
    known = _known(function)
    return {"name": known.name, "description": known.description, "input_schema": known.input_schema}


async def publish_functions(client: Cairn | AsyncCairn, functions: Sequence[Callable[..., Any]]) -> list[str]:
    """Stores functions as snippets, and records their calls from then on.

    The same code again is the same snippet.

    Args:
        client: stores them. Their calls are recorded over other connections, unless it was given an `httpx2.Client`:
            that is to stay open as long as they are called.
        functions: each an `agent_function`.

    Returns:
        The functions' names.

    Raises:
        ValueError: one is no `agent_function`, or its source can't be read. Those before it are stored.
        ServiceError: as `upload` raises it.

    """
    names: list[str] = []
    for function in functions:
        known = _known(function)
        if not known.source:
            raise ValueError(f"The source of {known.name} can't be read; expected a function of a file")
        stored = await called(
            client.snippets.create,
            known.name,
            known.source,
            known.entrypoint,
            "python",
            description=known.description,
            input_schema=known.input_schema,
            tags=["function"],
            example_queries=[f"Call {known.name}: {known.description}"],
        )
        # names need not be unique
        known.code_block_id = stored.code_block_id
        known.recorder = Recorder(client)
        names.append(known.name)
    return names


def _known(function: Callable[..., Any]) -> _Function:
    known = getattr(function, _KNOWN, None)
    if not isinstance(known, _Function):
        name = getattr(function, "__name__", repr(function))
        raise ValueError(f"{name} is not for agents; decorate it with @agent_function() first")
    return known
