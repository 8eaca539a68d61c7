"""Functions for agents: described, published, their calls recorded."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client.compat import (
    AsyncRaySurfer,
    ExecutionState,
    RaySurfer,
    agent_accessible,
    publish_function_registry,
    set_tracking_client,
    to_anthropic_tool,
)
from cairn_client.compat import _tracking as tracking
from tests.kinds import Blocking
from tests.test_service import unique

if TYPE_CHECKING:
    from tests.kinds import Kind
    from tests.service import Service


@dataclass
class Place:
    name: str
    north: float


@agent_accessible("Adds numbers.", name="adder")
def add(a: int, b: float = 0, *rest: int, place: Place | None = None, tags: list[str] | None = None, x=1) -> float:  # type: ignore[no-untyped-def]
    """Adds.

    Args:
        a: the first
            of them.
        b (float): the second.

    Returns:
        float: their sum.
    """
    return a + b


@agent_accessible()
def divide(a: float, b: float) -> float:
    """Divides."""
    return a / b


@agent_accessible()
async def wait(seconds: float) -> str:
    """Waits."""
    await asyncio.sleep(seconds)
    return "waited"


def plain() -> None: ...


def test_a_tool_is_described() -> None:
    tool = to_anthropic_tool(add)
    assert (tool["name"], tool["description"]) == ("adder", "Adds numbers.")
    schema = tool["input_schema"]
    properties = schema["properties"]
    assert properties["a"] == {"type": "integer", "description": "the first of them."}
    assert properties["b"] == {"type": "number", "description": "the second."}
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}}
    assert properties["place"]["properties"]["north"]["type"] == "number"
    assert properties["x"] == {"type": "string"}
    assert list(properties) == ["a", "b", "place", "tags", "x"]
    assert schema["required"] == ["a"]
    assert to_anthropic_tool(divide)["description"] == "Divides."
    for given in ({"type": "object"},):
        assert to_anthropic_tool(agent_accessible(input_schema=given)(plain))["input_schema"] == given
    with pytest.raises(ValueError, match="plain is not for agents"):
        to_anthropic_tool(plain)
    with pytest.raises(ValueError, match="not for agents"):
        set_tracking_client(plain, None)


def test_a_function_works_as_before() -> None:
    assert (add(1, b=2), add.__name__, add.__doc__ is not None) == (3, "add", True)
    with pytest.raises(ZeroDivisionError):
        divide(1, 0)


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


def test_the_function_publishes_with_either_client(service: Service) -> None:
    word = unique()
    function = agent_accessible("Does nothing.", name=word)(plain)
    with RaySurfer(service.key, service.base_url) as client:
        assert asyncio.run(publish_function_registry(client, [function])) == [word]

    async def both() -> list[str]:
        async with AsyncRaySurfer(service.key, service.base_url) as client:
            return await publish_function_registry(client, [function])

    assert asyncio.run(both()) == [word]


def test_every_ending_is_recorded(service: Service) -> None:
    prefix = unique()

    async def use() -> None:
        async with AsyncRaySurfer(service.key, service.base_url) as client:

            @agent_accessible(name=f"{prefix}_wait")
            async def waiting(seconds: float, limit: float | None = None) -> str:
                async with asyncio.timeout(limit):
                    await asyncio.sleep(seconds)
                return "waited"

            @agent_accessible(name=f"{prefix}_divide")
            def dividing(a: float, b: float) -> float:
                return a / b

            for function in (waiting, dividing):
                set_tracking_client(function, client)
            assert await waiting(0) == "waited"
            with pytest.raises(TimeoutError):
                await waiting(60, 0)
            task = asyncio.create_task(waiting(60))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            with pytest.raises(ZeroDivisionError):
                dividing(1, 0)
            await asyncio.gather(*tracking._tasks)
            runs = (await client.get_executions(task=f"agent_accessible:{prefix}_wait", limit=100)).executions
            runs += (await client.get_executions(task=f"agent_accessible:{prefix}_divide", limit=100)).executions
            states = {
                (run.triggering_task.rpartition("_")[2], run.execution_state.value, run.error_type)
                for run in runs
                if prefix in run.triggering_task
            }
            assert states == {
                ("wait", "completed", None),
                ("wait", "timed_out", "TimeoutError"),
                ("wait", "cancelled", "CancelledError"),
                ("divide", "errored", "ZeroDivisionError"),
            }

    asyncio.run(use())


def test_an_asynchronous_client_without_a_loop(service: Service) -> None:
    name = unique()
    client = AsyncRaySurfer(service.key, service.base_url)
    function = agent_accessible(name=name)(lambda_free)
    set_tracking_client(function, client)
    assert function(2) == 4
    with RaySurfer(service.key, service.base_url) as other:
        assert other.get_executions(task=f"agent_accessible:{name}", limit=1).executions[0].io.output_data == 4
    asyncio.run(client.close())


def lambda_free(number: int) -> int:
    return number * 2


def test_a_synchronous_client_in_a_loop(service: Service) -> None:
    name = unique()

    @agent_accessible(name=name)
    async def later() -> str:
        return "later"

    with RaySurfer(service.key, service.base_url) as client:
        set_tracking_client(later, client)
        assert asyncio.run(later()) == "later"
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
