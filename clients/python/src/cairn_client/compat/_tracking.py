"""Records calls of functions. It never raises, and never holds its caller up for long."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import sys
from concurrent.futures import CancelledError
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from cairn_client._logs import NAME
from cairn_client.types.snippets import ExecutionState

if TYPE_CHECKING:
    from collections.abc import Awaitable

LARGEST_DATA = 200_000
"""Characters of JSON that are recorded of an input or an output; of a larger one, its size."""

_MOST_AT_ONCE = 100
"""Records that are under way in loops, of all functions of a program.

Of more calls at once nothing is recorded, rather than that the program grows.
"""

_logger = logging.getLogger(NAME)
# tasks of asyncio and of trio
_under_way: set[Any] = set()
_warned = False


@dataclass(frozen=True, slots=True)
class Run:
    """One call."""

    name: str
    code_block_id: str
    input_data: dict[str, Any]
    output_data: object
    state: ExecutionState
    duration_ms: int
    error: BaseException | None
    workspace_id: str | None


def state_of(error: BaseException | None) -> ExecutionState:
    """How a call ended."""
    if error is None:
        return ExecutionState.COMPLETED
    trio = _trio()
    if isinstance(error, TimeoutError) or (trio is not None and isinstance(error, trio.TooSlowError)):
        return ExecutionState.TIMED_OUT
    return ExecutionState.CANCELLED if is_cancelled(error) else ExecutionState.ERRORED


def is_cancelled(error: BaseException) -> bool:
    """Whether an error is the end of a cancelled task, of any kind of loop."""
    trio = _trio()
    return isinstance(error, asyncio.CancelledError | CancelledError) or (
        trio is not None and isinstance(error, trio.Cancelled)
    )


def _trio() -> Any:
    """What a program that runs in trio's loop has loaded; this library doesn't need it."""
    return sys.modules.get("trio")


def jsonable(value: object, depth: int = 0) -> Any:
    """A value as JSON has it; what it has nothing for, as Python writes it."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if depth < 20 and isinstance(value, dict):
        return {_storable(str(key)): jsonable(one, depth + 1) for key, one in value.items()}
    if depth < 20 and isinstance(value, list | tuple | set | frozenset):
        return [jsonable(one, depth + 1) for one in value]
    return _storable(repr(value))


def _storable(text: str) -> str:
    """Without NUL and halves of surrogate pairs, which the service refuses."""
    return text.replace("\0", "").encode(errors="replace").decode()


def _data(value: object) -> Any:
    data = jsonable(value)
    size = len(json.dumps(data, ensure_ascii=False))
    return data if size <= LARGEST_DATA else {"omitted": type(value).__name__, "characters": size}


def _execution(run: Run) -> dict[str, Any]:
    error = None if run.error is None else _storable(f"{run.error}")[:10_000]
    return {
        "code_block_id": run.code_block_id,
        "triggering_task": f"agent_accessible:{run.name}",
        "input_data": _data(run.input_data),
        "output_data": _data(run.output_data) if run.error is None else {"error": error},
        "execution_state": run.state,
        "duration_ms": run.duration_ms,
        "error_message": error,
        "error_type": None if run.error is None else type(run.error).__name__,
    }


def _failed(error: Exception) -> None:
    global _warned
    level = logging.DEBUG if _warned else logging.WARNING
    _warned = True
    _logger.log(level, "A call could not be recorded: %s", type(error).__name__)


async def record(client: Any, run: Run) -> None:
    """Records a call, from asynchronous code."""
    if client is None:
        return
    try:
        store = partial(_hurried(client, run).store_execution, **_execution(run))
        if inspect.iscoroutinefunction(client.store_execution):
            await store()
        else:
            await anyio.to_thread.run_sync(store, abandon_on_cancel=True)
    except Exception as error:  # noqa: BLE001 # whatever it is, the function's own outcome counts
        _failed(error)


def record_soon(client: Any, run: Run) -> None:
    """Records a call, from synchronous code: an asynchronous client does it in the running loop, when there is one.

    Nobody waits for that: while a hundred are under way there, further calls are not recorded.
    """
    if client is None:
        return
    try:
        if not inspect.iscoroutinefunction(client.store_execution):
            _hurried(client, run).store_execution(**_execution(run))
            return
        trio = _trio()
        if trio is not None and trio.lowlevel.in_trio_run():
            if _has_room():
                _under_way.add(trio.lowlevel.spawn_system_task(_in_trio, client, run, context=copy_context()))
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(_alone(client, run))
            return
        if _has_room():
            task = loop.create_task(record(client, run))
            _under_way.add(task)
            task.add_done_callback(_under_way.discard)
    except Exception as error:  # noqa: BLE001 # whatever it is, the function's own outcome counts
        _failed(error)


def _has_room() -> bool:
    if len(_under_way) >= _MOST_AT_ONCE:
        # what a loop left that was closed meanwhile never ends; other threads' loops go on beside this
        tasks = [task for task in _under_way.copy() if isinstance(task, asyncio.Task)]
        _under_way.difference_update(task for task in tasks if task.get_loop().is_closed())
    return len(_under_way) < _MOST_AT_ONCE


async def _in_trio(client: Any, run: Run) -> None:
    try:
        await record(client, run)
    finally:
        _under_way.discard(_trio().lowlevel.current_task())


async def _alone(client: Any, run: Run) -> None:
    """In a loop of its own: connections of another loop can't be used."""
    hurried = _hurried(client, run, apart=True)
    try:
        answer: Awaitable[object] = hurried.store_execution(**_execution(run))
        await answer
    finally:
        if hurried is not client:
            await hurried.close()


def _hurried(client: Any, run: Run, **how: bool) -> Any:
    """A copy that gives up soon, in the snippet's workspace; another's client as it is."""
    copy = getattr(client, "for_tracking", None)
    return client if copy is None else copy(run.workspace_id, **how)
