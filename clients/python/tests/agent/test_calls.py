"""Calls of functions for agents: as before, and recorded."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest

from cairn_client import CacheUnavailableError, Cairn
from cairn_client.agent import agent_function, publish_functions
from cairn_client.agent._recorder import flush
from tests.agent.test_functions import halve

if TYPE_CHECKING:
    from collections.abc import Callable


class Store:
    """A service that notes what it is told of calls."""

    def __init__(self) -> None:
        self.status = 200
        self.runs: list[dict[str, Any]] = []
        # cleared while nothing is answered
        self.answers = threading.Event()
        self.answers.set()
        self.http = httpx2.Client(transport=httpx2.MockTransport(self.answer))
        self.client = Cairn("k", "http://cairn.test", http_client=self.http, max_retries=0)

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        if request.url.path.endswith("/execution"):
            self.answers.wait()
            self.runs.append(body)
            body = {"success": True, "execution_id": "e", "pattern_updated": False, "message": ""}
        else:
            body = {"success": True, "message": "stored", "code_block_id": "b", "embedding_id": "b"}
        return httpx2.Response(self.status, json=body if self.status == 200 else {"error": "no", "code": "no"})

    def publish(self, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        marked = agent_function(**options)(function)
        asyncio.run(publish_functions(self.client, [marked]))
        return marked

    def told(self) -> list[Any]:
        """How calls ended, what they gave and why they failed."""
        assert flush(60)
        return [(run["execution_state"], run["io"].get("output_data"), run.get("error_message")) for run in self.runs]


def test_publishing_fails_as_an_upload_and_recording_never() -> None:
    store = Store()
    function = store.publish(halve)
    store.status = 503
    assert function(4) == 2
    with pytest.raises(CacheUnavailableError):
        asyncio.run(publish_functions(store.client, [function]))
    assert flush(60)
    store.http.close()
    assert function(4) == 2


def test_no_call_waits_for_its_record_and_of_too_many_at_once_none_is_kept() -> None:
    store = Store()
    function = store.publish(halve)
    store.answers.clear()
    for number in range(1, 3_001):
        assert function(number) == number / 2
    store.answers.set()
    assert flush(60)
    assert 1_000 <= len(store.runs) < 3_000


def counting(most: int) -> Any:
    """Counts."""
    if most < 0:
        raise ValueError("too few")
    got = []
    for number in range(most):
        got.append((yield number))
    return got


async def counting_soon(most: int) -> Any:
    """Counts, and says thanks for each word."""
    for number in range(most):
        try:
            word = yield number
            while word is not None:
                word = yield f"thanks for {word}"
        except KeyError as error:
            yield f"caught {error}"
    if most == 3:
        raise ValueError("that was three")


def test_a_generator_s_call_ends_when_it_does() -> None:
    store = Store()
    function = store.publish(counting, record_values=True)
    assert list(function(3)) == [0, 1, 2]
    assert store.told() == [("completed", [None, None, None], None)]
    running = function(3)
    assert next(running) == 0
    assert running.send("a word") == 1
    running.close()
    assert store.told()[1:] == [("completed", None, None)], "nobody wanted more of it"
    with pytest.raises(ValueError, match="too few"):
        next(function(-1))
    assert store.told()[2:] == [("errored", None, "too few")]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_asynchronous_generator_works_as_before(backend: str) -> None:
    store = Store()
    function = store.publish(counting_soon)

    async def run() -> None:
        assert [item async for item in function(2)] == [0, 1]
        talking = function(2)
        assert await talking.__anext__() == 0
        assert await talking.asend("this") == "thanks for this"
        assert await talking.athrow(KeyError("that")) == "caught 'that'"
        await talking.aclose()
        with pytest.raises(ValueError, match="three"):
            _ = [item async for item in function(3)]

    anyio.run(run, backend=backend)
    assert [state for state, _, _ in store.told()] == ["completed", "completed", "errored"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_coroutine_s_call_ends_when_it_does_or_is_cancelled(backend: str) -> None:
    store = Store()

    async def waiting(seconds: float) -> str:
        """Waits."""
        await anyio.sleep(seconds)
        return "waited"

    function = store.publish(waiting, record_values=True)

    async def run() -> None:
        assert await function(0) == "waited"
        with anyio.move_on_after(0):
            await function(600)

    anyio.run(run, backend=backend)
    assert [(state, gave) for state, gave, _ in store.told()] == [("completed", "waited"), ("cancelled", None)]


class RudeError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("I don't speak")


class Shy:
    def __repr__(self) -> str:
        raise RuntimeError("I don't show myself")


class Counter:
    def __init__(self) -> None:
        self.password = "hidden in the object"

    def count(self, words: Any) -> Any:
        """Counts words."""
        if words is None:
            raise RudeError
        if isinstance(words, str):
            raise ValueError(f"not {words}")
        return words


def test_whatever_a_call_takes_gives_or_raises_it_is_disturbed_by_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    monkeypatch.setenv("MY_TOKEN", "a-very-secret-value")
    function = store.publish(Counter.count, record_values=True)
    of = Counter()
    cyclic: list[Any] = [1]
    cyclic.append(cyclic)
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    values = [b"x" * 1_000_000, "x" * 1_000_000, [0] * 1_000_000, cyclic, Shy(), {"a": float("nan")}, "\ud83d\0", deep]
    gave = []
    for value in values:
        box = [value]
        assert function(of, box) is box
        gave.append(box)
    with pytest.raises(RudeError):
        function(of, None)
    with pytest.raises(ValueError, match="very-secret"):
        function(of, "a-very-secret-value")
    told = store.told()
    too_much = {"omitted": "more than 100000 characters of JSON"}
    assert [output for _, output, _ in told[:7]] == [
        ["1000000 bytes"], too_much, too_much, [[1, "[cycle]"]], {"omitted": "no JSON"}, [{"a": None}], ["?"]
    ]  # fmt: skip
    assert "[too deep]" in json.dumps(told[7][1])
    assert told[8:] == [("errored", None, "something that has no text"), ("errored", None, "not ***")]
    assert "hidden in the object" not in json.dumps(store.runs)
