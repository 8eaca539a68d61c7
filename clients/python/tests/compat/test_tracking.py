"""Functions for agents: published, their calls recorded."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import math
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import httpx2
import pytest
import trio

from cairn_client.compat import (
    AsyncRaySurfer,
    ExecutionState,
    RaySurfer,
    agent_accessible,
    publish_function_registry,
    set_tracking_client,
)
from cairn_client.compat import _tracking as tracking
from tests.kinds import Blocking
from tests.snippets import unique

if TYPE_CHECKING:
    from cairn_client.compat import ExecutionRecord
    from tests.kinds import Kind
    from tests.service import Service


@agent_accessible()
def divide(a: float, b: float) -> float:
    """Divides."""
    return a / b


def plain() -> None: ...


def real(client: Any) -> Any:
    return client._inner if isinstance(client, Blocking) else client


def test_published_functions_are_found_and_their_calls_recorded(kind: Kind, service: Service) -> None:
    word = unique()
    # the same code again in the same scope would be the same snippet, by its first name
    raysurfer = kind.raysurfer(service.key, service.base_url, workspace_id=word)

    @agent_accessible(f"Turns {word} around.", name=word, workspace_id=word)
    def turn(text: str) -> str:
        return text[::-1]

    publisher = kind.raysurfer(service.key, service.base_url)
    assert publisher.publish_function_registry([turn, plain]) == [word]
    match = raysurfer.search(f"turn {word} around").matches[0]
    assert match.code_block.name == word
    assert "agent_accessible" in match.code_block.tags
    assert match.code_block.source.startswith("def turn(text: str) -> str:")
    assert match.code_block.input_schema["properties"] == {"text": {"type": "string"}}
    assert (match.code_block.entrypoint, match.code_block.description) == ("turn", f"Turns {word} around.")
    set_tracking_client(turn, real(publisher))
    assert turn("abc") == "cba"
    found = raysurfer.get_executions(code_block_id=match.code_block.id).executions
    assert [(run.execution_state, run.io.output_data) for run in found] == [(ExecutionState.COMPLETED, "cba")]
    assert found[0].io.input_data == {"args": ["abc"], "kwargs": {}}
    assert found[0].triggering_task == f"agent_accessible:{word}"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_function_publishes_with_either_client(service: Service, backend: str) -> None:
    word = unique()
    function = agent_accessible("Does nothing.", name=word)(plain)
    with RaySurfer(service.key, service.base_url) as client:
        assert anyio.run(publish_function_registry, client, [function], backend=backend) == [word]

    async def both() -> list[str]:
        async with AsyncRaySurfer(service.key, service.base_url) as client:
            return await publish_function_registry(client, [function])

    assert anyio.run(both, backend=backend) == [word]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_every_ending_is_recorded(service: Service, backend: str) -> None:
    prefix = unique()

    async def use() -> None:
        async with AsyncRaySurfer(service.key, service.base_url) as client:

            @agent_accessible(name=f"{prefix}_wait")
            async def waiting(seconds: float, limit: float = math.inf) -> str:
                with anyio.fail_after(limit):
                    await anyio.sleep(seconds)
                return "waited"

            @agent_accessible(name=f"{prefix}_divide")
            def dividing(a: float, b: float) -> float:
                return a / b

            async def recorded() -> list[ExecutionRecord]:
                tasks = [f"agent_accessible:{prefix}_{name}" for name in ("wait", "divide")]
                found = [await client.get_executions(task=task, limit=100) for task in tasks]
                runs = {run.id: run for one in found for run in one.executions if run.triggering_task in tasks}
                return list(runs.values())

            for function in (waiting, dividing):
                set_tracking_client(function, client)
            assert await waiting(0) == "waited"
            with pytest.raises(TimeoutError):
                await waiting(60, 0)
            cancelled = anyio.get_cancelled_exc_class()
            with anyio.CancelScope() as scope:
                scope.cancel()
                with pytest.raises(cancelled):
                    await waiting(60)
            with pytest.raises(ZeroDivisionError):
                dividing(1, 0)
            with anyio.fail_after(60):
                # what is recorded beside the caller arrives when it does
                while len(runs := await recorded()) < 4:  # noqa: ASYNC110 # it comes from elsewhere
                    await anyio.sleep(0.05)
            states = {
                (run.triggering_task.rpartition("_")[2], run.execution_state.value, run.error_type) for run in runs
            }
            assert states == {
                ("wait", "completed", None),
                ("wait", "timed_out", "TimeoutError"),
                ("wait", "cancelled", cancelled.__name__),
                ("divide", "errored", "ZeroDivisionError"),
            }

    anyio.run(use, backend=backend)


def test_a_time_limit_of_trio_is_one() -> None:
    assert tracking.state_of(trio.TooSlowError()) is ExecutionState.TIMED_OUT


def test_an_asynchronous_client_without_a_loop(service: Service) -> None:
    name = unique()
    client = AsyncRaySurfer(service.key, service.base_url)
    function = agent_accessible(name=name)(lambda_free)
    set_tracking_client(function, client)
    assert function(2) == 4
    with RaySurfer(service.key, service.base_url) as other:
        assert other.get_executions(task=f"agent_accessible:{name}", limit=1).executions[0].io.output_data == 4
    anyio.run(client.close)


def lambda_free(number: int) -> int:
    return number * 2


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_synchronous_client_in_a_loop(service: Service, backend: str) -> None:
    name = unique()

    @agent_accessible(name=name)
    async def later() -> str:
        return "later"

    with RaySurfer(service.key, service.base_url) as client:
        set_tracking_client(later, client)
        assert anyio.run(later, backend=backend) == "later"
        found = client.get_executions(task=f"agent_accessible:{name}", limit=1).executions[0]
        assert found.io.output_data == "later"


def test_a_dead_service_breaks_nothing_and_is_told_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking, "_warned", False)
    attempts: list[httpx2.Request] = []

    def dead(request: httpx2.Request) -> httpx2.Response:
        attempts.append(request)
        raise httpx2.ConnectError("dead", request=request)

    http = httpx2.Client(transport=httpx2.MockTransport(dead))
    set_tracking_client(divide, RaySurfer("k", "http://cairn.test", http_client=http))
    with caplog.at_level(logging.WARNING, "cairn_client"):
        assert (divide(4, 2), divide(6, 2)) == (2, 3)
        with pytest.raises(ZeroDivisionError):
            divide(1, 0)
    set_tracking_client(divide, None)
    assert len(attempts) == 3
    assert [request.extensions["timeout"]["read"] for request in attempts] == [5.0] * 3
    assert [record.getMessage() for record in caplog.records] == ["A call could not be recorded: CacheUnavailableError"]


def test_what_json_has_nothing_for_is_recorded_as_text() -> None:
    recorded: list[dict[str, Any]] = []

    class Client:
        def store_execution(self, **execution: Any) -> None:
            recorded.append(execution)

    @agent_accessible(name="odd")
    def odd(value: object) -> object:
        return value

    set_tracking_client(odd, Client())
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    for value in ({1: {2}, "nan": float("nan"), "bytes": b"x"}, "nul \0 half \ud800 \\u0000", cyclic, "x" * 300_000):
        odd(value)
    outputs = [execution["output_data"] for execution in recorded]
    assert outputs[0] == {"1": [2], "nan": "nan", "bytes": "b'x'"}
    assert outputs[1] == "nul  half ? \\u0000"
    assert outputs[3] == {"omitted": "str", "characters": 300_002}
    json.dumps(outputs, allow_nan=False)


class Silent:
    """A client whose records stay under way until it is told."""

    def __init__(self) -> None:
        self.begun = 0
        self.answered = anyio.Event()

    async def store_execution(self, **_: Any) -> None:
        self.begun += 1
        await self.answered.wait()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_while_a_hundred_records_are_under_way_further_calls_are_not_recorded(backend: str) -> None:
    @agent_accessible(name="echo")
    def echo(value: int) -> int:
        return value

    async def calls() -> tuple[int, int]:
        client = Silent()
        set_tracking_client(echo, client)
        assert [echo(number) for number in range(300)] == list(range(300))
        await anyio.wait_all_tasks_blocked()
        begun = client.begun
        client.answered.set()
        while tracking._under_way:
            await anyio.lowlevel.checkpoint()
        # again when there is room
        echo(1)
        await anyio.wait_all_tasks_blocked()
        return begun, client.begun

    assert anyio.run(calls, backend=backend) == (100, 101)
    assert tracking._under_way == set()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_records_that_ended_with_their_loop_leave_room_for_others(backend: str) -> None:
    @agent_accessible(name="echo")
    def echo(value: int) -> int:
        return value

    async def calls() -> int:
        client = Silent()
        set_tracking_client(echo, client)
        for number in range(100):
            echo(number)
        await anyio.wait_all_tasks_blocked()
        return client.begun

    for _ in range(2):
        assert anyio.run(calls, backend=backend) == 100


def test_records_of_a_loop_that_was_closed_with_them_leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracking, "_MOST_AT_ONCE", 2)

    @agent_accessible(name="echo")
    def echo(value: int) -> int:
        return value

    async def calls() -> int:
        client = Silent()
        set_tracking_client(echo, client)
        for number in range(3):
            echo(number)
        await asyncio.sleep(0)
        return client.begun

    for loop in [asyncio.new_event_loop() for _ in range(2)]:
        assert loop.run_until_complete(calls()) == 2
        loop.close()
    assert len(tracking._under_way) == 2
    tracking._under_way.clear()
    set_tracking_client(echo, None)
    # asyncio tells of tasks that are lost: here, not at the end of all tests
    gc.collect()
