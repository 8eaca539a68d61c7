"""Functions for agents, on both clients and the real service."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
import uuid
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import httpx2
import pytest

from cairn_client import AsyncCairn, CacheUnavailableError, Cairn
from cairn_client.agent import agent_function, function_tool, publish_functions
from cairn_client.agent._recorder import Recorder, flush

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.service import Service


def halve(number: float, parts: list[str] | None = None) -> float:
    """Halves a number.

    Args:
        number: any but infinity.
        parts: what it is made of.
    """
    if number == 0:
        raise ValueError("nothing to halve")
    return number / 2


def marked(**options: Any) -> tuple[str, Callable[..., Any]]:
    name = f"halve_{uuid.uuid4().hex[:8]}"
    return name, agent_function(name=name, **options)(halve)


_STORED = {"success": True, "code_block_id": "s-1", "embedding_id": "s-1", "message": "Stored."}


@contextmanager
def slow(seconds: float | None, goes: bool = False) -> Iterator[tuple[str, list[bytes]]]:
    """A service that takes functions at once, and so long for each record; `None`: for ever. Gives the records.

    One that goes is not there any more as soon as the first record has come.
    """
    taken: list[bytes] = []
    over = threading.Event()

    class Answers(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path.endswith("/store/execution"):
                if goes:
                    server.shutdown()
                    server.server_close()
                    return
                if over.wait(seconds) or seconds is None:
                    return
                taken.append(body)
            answer = json.dumps(_STORED).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", taken
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def executions(service: Service, name: str) -> list[Any]:
    assert flush(60)
    with Cairn(service.key, service.base_url) as client:
        found = client.executions.list(task=f"call {name}", limit=100).executions
    own = [one for one in found if one.triggering_task == f"call {name}"]
    return sorted(own, key=lambda one: str(one.execution_state))


def test_a_function_is_a_tool() -> None:
    name, function = marked(description="Halves.")
    tool = function_tool(function)
    assert (tool["name"], tool["description"]) == (name, "Halves.")
    assert tool["input_schema"]["properties"]["number"]["type"] == "number"
    assert tool["input_schema"]["required"] == ["number"]
    assert function(3) == 1.5


@pytest.mark.parametrize(("kind", "backend"), [(Cairn, "asyncio"), (AsyncCairn, "asyncio"), (AsyncCairn, "trio")])
@pytest.mark.parametrize("values", [False, True])
def test_a_published_function_s_calls_are_recorded(service: Service, kind: type, backend: str, values: bool) -> None:
    name, function = marked(record_values=values)

    async def run() -> None:
        client = kind(service.key, service.base_url)
        assert await publish_functions(client, [function]) == [name]
        # outside of the loop, as a synchronous program calls it
        assert await anyio.to_thread.run_sync(partial(function, 5, parts=["secret"])) == 2.5
        with pytest.raises(ValueError, match="nothing"):
            await anyio.to_thread.run_sync(function, 0)
        closed = client.close()
        if closed is not None:
            await closed

    anyio.run(run, backend=backend)
    worked, failed = executions(service, name)
    assert (worked.execution_state, failed.execution_state) == ("completed", "errored")
    assert (failed.error_type, failed.error_message) == ("ValueError", "nothing to halve")
    if values:
        assert worked.io.input_data == {"args": [5], "kwargs": {"parts": ["secret"]}}
        assert worked.io.output_data == 2.5
    else:
        assert worked.io.input_data == {"args": {"characters": 3}, "kwargs": {"characters": 20}}
        assert worked.io.output_data == {"characters": 3}
    with Cairn(service.key, service.base_url) as client:
        found = client.search("Halves a number.", 50, 0.0).matches
    # the same code under another name is the same snippet
    [block] = [match.code_block for match in found if match.code_block.source.startswith("def halve(")]
    assert block.tags == ["function"]
    assert block.input_schema["properties"]["number"]["type"] == "number"


_ENDING = """
import asyncio, sys
from cairn_client import Cairn
from cairn_client.agent import _recorder, agent_function, publish_functions
from tests.agent.test_functions import halve
name, key, url, seconds, calls = sys.argv[1:]
_recorder._SECONDS = float(seconds) or _recorder._SECONDS
marked = agent_function(name=name)(halve)
asyncio.run(publish_functions(Cairn(key, url), [marked]))
for number in range(1, int(calls) + 1):
    marked(number)
"""
"""A program that ends as soon as it has made its calls; `0` seconds: as they are."""


def ending(name: str, key: str, url: str, seconds: float = 0, calls: int = 20) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", _ENDING, name, key, url, str(seconds), str(calls)]
    return subprocess.run(program, check=True, capture_output=True, text=True, timeout=120)


def test_a_record_that_would_be_taken_only_later_is_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    taken: list[httpx2.Request] = []

    def busy(request: httpx2.Request) -> httpx2.Response:
        taken.append(request)
        return httpx2.Response(503, headers={"retry-after": "11"})

    http = httpx2.Client(transport=httpx2.MockTransport(busy))
    with pytest.raises(CacheUnavailableError):
        Recorder(Cairn("k", "http://cairn.test", http_client=http)).send({})
    assert (len(taken), caplog.messages) == (1, [])


def test_a_program_that_ends_waits_for_its_records(service: Service) -> None:
    name = f"ending_{uuid.uuid4().hex[:8]}"
    assert ending(name, service.key, service.base_url).stderr == ""
    assert len(executions(service, name)) == 20


def test_a_program_that_ends_waits_as_long_as_records_come_through() -> None:
    with slow(0.3) as (url, taken):
        assert ending("slowly", "k", url).stderr == ""
    assert len(taken) == 20


def test_a_program_that_ends_waits_for_no_service_that_is_silent() -> None:
    with slow(None) as (url, taken):
        assert "before the records of 20 calls were sent" in ending("never", "k", url, 0.5).stderr
    assert taken == []


def test_a_program_that_ends_says_what_a_service_that_is_gone_did_not_take() -> None:
    with slow(0, goes=True) as (url, taken):
        said = ending("gone", "k", url, calls=3).stderr
    # one that was refused before the end began is not said
    assert re.search("before the records of [1-3] calls were sent", said)
    assert taken == []


def test_what_is_not_for_agents_is_refused() -> None:
    with Cairn("k") as client:
        with pytest.raises(ValueError, match="@agent_function"):
            asyncio.run(publish_functions(client, [halve]))
        with pytest.raises(ValueError, match="@agent_function"):
            function_tool(halve)
        with pytest.raises(ValueError, match="source"):
            asyncio.run(publish_functions(client, [agent_function()(eval("lambda: 1"))]))
