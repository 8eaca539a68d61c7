"""Functions that agents may call: described for them, stored as snippets, their calls recorded."""

from __future__ import annotations

import inspect
import time
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from cairn_client.compat._described import described_parameters, input_schema_of, own_source
from cairn_client.compat._tracking import Run, is_cancelled, record, record_soon, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

P = ParamSpec("P")
T = TypeVar("T")

_META = "_cairn_accessible"


def agent_accessible(
    description: str | None = None,
    *,
    name: str | None = None,
    input_schema: dict[str, Any] | None = None,
    org_id: str | None = None,
    workspace_id: str | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Marks a function as callable by agents.

    It works as before. Once it has a client (`publish_function_registry`, `set_tracking_client`), each call is
    recorded: state, duration, error, input and output. That never raises, and gives up after five seconds. In a loop,
    an asynchronous client records the calls of a plain function beside it: while a hundred of these records are under
    way, further calls are not recorded.

    Args:
        description: what it does; its docstring unless given.
        name: its own name unless given.
        input_schema: a JSON schema of its parameters; from its type hints and its docstring's `Args:` unless given.
        org_id: noted with it.
        workspace_id: where `publish_function_registry` stores it.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        meta: dict[str, Any] = {
            "name": name or function.__name__,
            "description": description or inspect.getdoc(function) or "",
            "input_schema": input_schema or input_schema_of(function, described_parameters(function)),
            "source": own_source(function),
            "org_id": org_id,
            "workspace_id": workspace_id,
            "client": None,
            "code_block_id": None,
        }
        wrap = _tracked_async if inspect.iscoroutinefunction(function) else _tracked
        tracked = wrap(function, meta)
        setattr(tracked, _META, meta)
        return tracked

    return decorate


def _run(
    meta: dict[str, Any], started: float, given: dict[str, Any], result: object, error: BaseException | None
) -> Run:
    return Run(
        name=meta["name"],
        code_block_id=meta["code_block_id"] or f"function_registry:{meta['name']}",
        input_data=given,
        output_data=result,
        state=state_of(error),
        duration_ms=int((time.perf_counter() - started) * 1000),
        error=error,
        workspace_id=meta["workspace_id"],
    )


def _tracked(function: Callable[P, T], meta: dict[str, Any]) -> Callable[P, T]:
    @wraps(function)
    def tracked(*args: P.args, **kwargs: P.kwargs) -> T:
        started = time.perf_counter()
        given = {"args": args, "kwargs": kwargs}
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            record_soon(meta["client"], _run(meta, started, given, None, error))
            raise
        record_soon(meta["client"], _run(meta, started, given, result, None))
        return result

    return tracked


def _tracked_async(function: Callable[P, T], meta: dict[str, Any]) -> Callable[P, T]:
    @wraps(function)
    async def tracked(*args: P.args, **kwargs: P.kwargs) -> Any:
        started = time.perf_counter()
        given = {"args": args, "kwargs": kwargs}
        try:
            result = await cast("Any", function)(*args, **kwargs)
        except Exception as error:
            await record(meta["client"], _run(meta, started, given, None, error))
            raise
        except BaseException as error:
            if is_cancelled(error):
                # what is awaited now would be cancelled too
                record_soon(meta["client"], _run(meta, started, given, None, error))
            raise
        await record(meta["client"], _run(meta, started, given, result, None))
        return result

    return cast("Callable[P, T]", tracked)


def _meta(function: Callable[..., Any]) -> dict[str, Any] | None:
    meta = getattr(function, _META, None)
    return meta if isinstance(meta, dict) else None


def to_anthropic_tool(func: Callable[..., Any]) -> dict[str, Any]:
    """The definition of an `agent_accessible` function as a tool of the Messages API."""
    meta = _meta(func)
    if meta is None:
        name = getattr(func, "__name__", repr(func))
        raise ValueError(f"{name} is not for agents; decorate it with @agent_accessible() first")
    return {field: meta[field] for field in ("name", "description", "input_schema")}


def set_tracking_client(func: Callable[..., Any], client: object) -> None:
    """Records a function's calls with this client from now on. A function that is not `agent_accessible` has none."""
    meta = _meta(func)
    if meta is None:
        raise ValueError("The function is not for agents; decorate it with @agent_accessible() first")
    meta["client"] = client


async def publish_function_registry(client: Any, functions: Sequence[Callable[..., Any]]) -> list[str]:
    """Stores `agent_accessible` functions as snippets, with either client, and returns the snippets' names."""
    names: list[str] = []
    for function in functions:
        block = registry_block(function)
        if block is not None:
            answer = client.store_code_block(**block)
            names.append(note_published(function, client, await answer if inspect.isawaitable(answer) else answer))
    return names


def registry_block(function: Callable[..., Any]) -> dict[str, Any] | None:
    """What is stored of a function; nothing of one that is not for agents, or whose source is not to be had."""
    meta = _meta(function)
    if meta is None or not meta["source"]:
        return None
    return {
        "name": meta["name"],
        "source": meta["source"],
        "entrypoint": function.__name__,
        "language": "python",
        "description": meta["description"],
        "input_schema": meta["input_schema"],
        "tags": ["function_registry", "agent_accessible"],
        "example_queries": [f"Call {meta['name']}: {meta['description']}"],
        "workspace_id": meta["workspace_id"],
    }


def note_published(function: Callable[..., Any], client: object, answer: Any) -> str:
    """Remembers under which id a function is stored: names need not be unique. Returns its name."""
    set_tracking_client(function, client)
    meta: dict[str, Any] = getattr(function, _META)
    meta["code_block_id"] = answer.code_block_id
    return str(meta["name"])
