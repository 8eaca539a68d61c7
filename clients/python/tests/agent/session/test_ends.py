"""Sessions that end before their time: nothing is sent, and no process and no folder is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from cairn_client.agent import CairnAgent, query
from tests.agent.session.world import SEARCH, TASK, UPLOAD, World, session_options
from tests.agent.stand_in import Body, Reply, calls, model, offered_path

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.agent.stand_in import Model


class Busy:
    """A model that writes a file, runs the offered snippet, and then something that takes long."""

    def __init__(self, world: World) -> None:
        world.store()
        self.folder = world.folder
        self.cache = Path()

    def turns(self) -> list[Reply | Callable[[Body], Reply]]:
        def run(body: Body) -> Reply:
            path = offered_path(body, "count_words.py")
            self.cache = Path(path).parent
            assert self.cache.exists()
            return calls("Bash", command=f"python3 {path}")

        half = "print('half of the work')\n"
        return [
            calls("Write", file_path=str(self.folder / "half.py"), content=half),
            run,
            calls("Bash", command="touch begun; sleep 600"),
        ]

    @property
    def has_begun(self) -> bool:
        return (self.folder / "begun").exists()

    async def begun(self) -> None:
        while not self.has_begun:  # noqa: ASYNC110 # another process's doing
            await anyio.sleep(0.02)


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and theirs."""
    rows = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, row.split())) for row in rows.splitlines()]
    own = [child for child, parent in pairs if parent == pid]
    return [*own, *(below for child in own for below in descendants(child))]


def alive(pids: list[int]) -> bool:
    """Whether one of them runs, and is not only waited for."""
    if not pids:
        return False
    # it fails where none of them is there
    asked = ["ps", "-o", "stat=", "-p", ",".join(map(str, pids))]
    states = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    return any(not state.startswith("Z") for state in states)


def started(before: list[int]) -> list[int]:
    """The agent SDK's processes since then."""
    rows = subprocess.run(["ps", "-A", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
    own = {int(row.split()[0]) for row in rows.splitlines() if "stream-json" in row}
    return [pid for pid in descendants(os.getpid()) if pid in own and pid not in before]


async def left(world: World, busy: Busy, api: Model) -> None:
    """A loop and a session that are left."""
    client = world.client()
    async with CairnAgent(world.options(api), client=client, on_report=world.reports.append) as agent:
        await agent.query(TASK)
        messages: Any = agent.receive_messages()
        async with aclosing(messages):
            async for _ in messages:
                if busy.cache != Path():
                    break
    await client._transport.http.aclose()


async def cancelled(world: World, busy: Busy, api: Model) -> None:
    """A task that is cancelled."""
    client = world.client()
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:

            async def cancel() -> None:
                await busy.begun()
                scope.cancel()

            tasks.start_soon(cancel)
            async with CairnAgent(world.options(api), client=client, on_report=world.reports.append) as agent:
                await agent.query(TASK)
                async for _ in agent.receive_response():
                    pass
    assert scope.cancelled_caught
    await client._transport.http.aclose()


async def query_left(world: World, busy: Busy, api: Model) -> None:
    """A loop over a query that is left, and closed."""
    client = world.client()
    messages: Any = query(TASK, world.options(api), client=client, on_report=world.reports.append)
    async for _ in messages:
        if busy.cache != Path():
            break
    await messages.aclose()
    await client._transport.http.aclose()


@pytest.mark.parametrize("end", [left, cancelled, query_left])
def test_what_is_left_or_cancelled_leaves_nothing(
    world: World, end: Callable[[World, Busy, Model], Awaitable[None]]
) -> None:
    busy = Busy(world)
    before = descendants(os.getpid())

    async def session(api: Model) -> None:
        await end(world, busy, api)
        # the agent SDK ends the process of a query that is left in a task of its own
        processes = started(before)
        while alive(processes):  # noqa: ASYNC110 # another process's doing
            await anyio.sleep(0.1)

    with model(*busy.turns()) as api:
        anyio.run(session, api, backend=world.backend)
    assert not busy.cache.exists()
    assert (world.sent, world.reports) == ([SEARCH], [])


def test_an_interrupted_turn_sends_nothing_and_a_later_success_sends_both(world: World) -> None:
    busy = Busy(world)

    async def session(api: Model) -> list[list[str]]:
        client = world.client()
        sent: list[list[str]] = []
        async with CairnAgent(world.options(api), client=client, on_report=world.reports.append) as agent:
            async with anyio.create_task_group() as tasks:

                async def interrupt() -> None:
                    await busy.begun()
                    await agent.interrupt()

                tasks.start_soon(interrupt)
                await agent.query(TASK)
                async for _ in agent.receive_response():
                    pass
            sent.append([*world.sent])
            await agent.query("never mind")
            async for _ in agent.receive_response():
                pass
        await client._transport.http.aclose()
        return sent

    with model(*busy.turns()) as api:
        assert anyio.run(session, api, backend=world.backend) == [[SEARCH]]
    assert world.sent[:3] == [SEARCH, SEARCH, UPLOAD]
    [report] = world.reports
    assert report.uploaded == ["half.py"]
    assert [vote.succeeded for vote in report.votes] == [False]


def test_ctrl_c_leaves_nothing(world: World, tmp_path: Path) -> None:
    busy = Busy(world)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with model(*busy.turns()) as api:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
        environment |= {
            "CAIRN_BASE_URL": world.service.base_url,
            "CAIRN_API_KEY": world.service.key,
            "TEST_BACKEND": world.backend,
            "TEST_OPTIONS": json.dumps(session_options(api, world.folder, world.home)),
            "TEST_WORKSPACE": world.workspace,
            "TMPDIR": str(temporary),
        }
        program = [sys.executable, str(Path(__file__).parent.parent / "program.py")]
        # whoever starts the tests in the background of a shell has them, and this program, pass over a Ctrl-C
        running = subprocess.Popen(
            program,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while not busy.has_begun:
            time.sleep(0.02)
        processes = descendants(running.pid)
        assert alive(processes)
        assert list(temporary.glob("cairn-snippets-*"))
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate()
        while alive(processes):
            time.sleep(0.1)
    assert (running.returncode, output) != (0, b"")
    assert not list(temporary.glob("cairn-snippets-*"))
    assert world.stored().thumbs_down == 0
