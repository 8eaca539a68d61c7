"""A service that does not answer, or refuses: on both clients, without the agent SDK."""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path

import anyio
import httpx2
import pytest

from cairn_client import AsyncCairn, Cairn
from tests.agent.hooked import TASK, World, refusal


def delivered(world: World, *replies: httpx2.Response | Exception) -> list[str]:
    """Of four files and a vote, what was asked for until nobody asked any more."""
    world.prompt()
    world.bash(f"python3 {world.cached()}")
    for number in range(4):
        world.write(f"{number}.py", f"print('number {number}')\n")
    world.replies = list(replies)
    assert world.on("Stop") == {}
    return ["vote" if name == "cache-usage" else "file" for name in world.names()[1:]]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    own = [record for record in caplog.records if record.name == "cairn_client.agent"]
    return [record.getMessage() for record in own if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("status", [401, 503])
def test_a_dead_service_never_breaks_the_session_and_is_warned_of_once(
    world: World, status: int, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    world.status = status
    assert world.prompt() == ""
    for number in range(3):
        world.write(f"{number}.py", f"print('number {number}')\n")
    assert world.on("Stop") == {}
    world.prompt("again")
    [warning] = warnings(caplog)
    assert "the session goes on without" in warning
    assert TASK not in caplog.text
    assert "secret words" not in caplog.text
    assert capsys.readouterr().out == ""
    assert world.reports[0].uploaded == []


def test_what_does_not_answer_is_asked_once_more_and_then_left_alone(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    assert delivered(world, *[refusal(503)] * 9) == ["file", "file"]
    assert len(warnings(caplog)) == 1


def test_a_service_that_asks_for_more_time_than_there_is_is_not_waited_for_and_nobody_hears_that_it_were(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.status, world.again = 503, 30
    assert world.prompt() == ""
    world.write("a.py", "print('a')\n")
    begun = time.monotonic()
    world.on("Stop")
    assert time.monotonic() - begun < 5
    assert world.names() == ["search", "execution-result"]
    [warning] = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert "e/503" in warning


def test_a_cut_connection_costs_nothing(world: World, caplog: pytest.LogCaptureFixture) -> None:
    assert delivered(world, httpx2.ReadError("cut")) == [*["file"] * 5, "vote"]
    assert len(world.reports[0].uploaded) == 4
    assert warnings(caplog) == []


@pytest.mark.parametrize("status", [400, 403, 404])
def test_a_refusal_of_one_file_says_nothing_of_the_next(
    world: World, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert delivered(world, refusal(status)) == [*["file"] * 4, "vote"]
    assert world.reports[0].uploaded == ["1.py", "2.py", "3.py"]
    [warning] = warnings(caplog)
    assert f"e/{status}" in warning
    assert "secret words" not in warning


@pytest.mark.parametrize("reply", [refusal(401), refusal(429, **{"retry-after": "3600"})])
def test_a_refusal_of_the_key_or_of_so_many_says_that_nothing_is_taken(world: World, reply: httpx2.Response) -> None:
    assert delivered(world, reply) == ["file"]


class Silent(World):
    """A service that never answers what it is to be silent on."""

    def __init__(self, folder: Path, kind: type[Cairn] | type[AsyncCairn], silent: str) -> None:
        super().__init__(Path(os.path.realpath(folder)), kind)
        self.silent = silent
        self.over = threading.Event()

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        answer = super().answer(request)
        if self.names()[-1] == self.silent:
            self.over.wait()
        return answer

    async def answer_soon(self, request: httpx2.Request) -> httpx2.Response:
        answer = super().answer(request)
        if self.names()[-1] == self.silent:
            await anyio.sleep_forever()
        return answer


@pytest.fixture(params=[Cairn, AsyncCairn])
def kind(request: pytest.FixtureRequest) -> type[Cairn] | type[AsyncCairn]:
    made: type[Cairn] | type[AsyncCairn] = request.param
    return made


def test_a_silent_service_holds_a_prompt_up_for_seconds_and_the_next_ones_not_at_all(
    tmp_path: Path, kind: type[Cairn] | type[AsyncCairn], caplog: pytest.LogCaptureFixture
) -> None:
    world = Silent(tmp_path, kind, "search")
    assert world.prompt("one") == ""
    assert world.prompt("two") == ""
    assert world.names() == ["search"], "nobody waits for a second try"
    assert len(warnings(caplog)) == 1
    world.over.set()


def test_a_silent_service_holds_the_end_of_a_turn_up_once(
    tmp_path: Path, kind: type[Cairn] | type[AsyncCairn], caplog: pytest.LogCaptureFixture
) -> None:
    world = Silent(tmp_path, kind, "execution-result")
    assert delivered(world) == ["file"]
    assert (world.reports[0].uploaded, world.reports[0].votes) == ([], [])
    assert len(warnings(caplog)) == 1
    world.over.set()
