"""Sessions in which something fails: the model, the turns, a name, the service."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import httpx2
import pytest

from tests.agent.session.world import SEARCH, SOURCE, World, session_options
from tests.agent.stand_in import calls, model, offered_path, shown
from tests.long import at_night

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize("status", [pytest.param(401, marks=at_night), 500])
def test_a_failing_model_leaves_no_vote_and_no_upload(world: World, status: int) -> None:
    world.store()
    with model(
        lambda body: calls("Read", file_path=offered_path(body, "count_words.py")),
        calls("Write", file_path=str(world.folder / "failed.py"), content=SOURCE),
        {"status": status},
    ) as api:
        assert not anyio.run(world.run, api, backend=world.backend)
    assert (world.folder / "failed.py").exists()
    assert world.sent == [SEARCH]
    assert world.reports == []
    assert (world.stored().thumbs_up, world.stored().thumbs_down) == (0, 0)


def test_a_session_that_runs_out_of_turns_leaves_nothing(world: World) -> None:
    write = calls("Write", file_path=str(world.folder / "half.py"), content=SOURCE)
    with model(write, write) as api:
        assert not anyio.run(partial(world.run, api, max_turns=1), backend=world.backend)
    assert (world.folder / "half.py").exists()
    assert world.sent == [SEARCH]


class Renaming(httpx2.AsyncHTTPTransport):
    """The real service, whose snippets have hostile names."""

    names = ("../evil.py", "/tmp/evil.py", "..", "a/../../evil.py", "fine.py")

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if request.url.path != SEARCH:
            return response
        body = json.loads(await response.aread())
        body["matches"] = [{**body["matches"][0], "filename": name} for name in self.names]
        await response.aclose()
        return httpx2.Response(200, json=body)


def test_a_hostile_name_writes_nothing_outside(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.store("../../evil.py")
    cache = world.folder / "deep" / "cache"
    with model() as api, caplog.at_level(logging.WARNING):
        assert anyio.run(partial(world.run, api, http=Renaming(), cache_dir=cache), backend=world.backend)
        assert "evil.py" not in shown(api.requests[0])
    [report] = world.reports
    assert [file.filename for file in report.offered] == ["fine.py"]
    assert [path.name for path in world.folder.rglob("*")] == ["deep", "cache", "fine.py"]
    assert not list(world.folder.parent.rglob("evil.py"))
    assert report.uploaded == [], "the cache folder is no work of the session"
    assert len(caplog.records) == 4


@contextmanager
def service_that(what: str) -> Iterator[str]:
    """The address of one."""
    if what == "is dead":
        yield "http://127.0.0.1:1"
        return

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            if what == "never answers":
                over.wait()
            self.send_response(500)
            self.end_headers()

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Whoever asked has left."""

    over = threading.Event()
    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            over.set()
            server.shutdown()
            thread.join()


# test_unanswered.py has what the hooks make of each of them
@pytest.mark.parametrize(
    "what", [pytest.param("is dead", marks=at_night), "never answers", pytest.param("answers 500", marks=at_night)]
)
def test_without_a_service_it_goes_on_warns_once_and_prints_nothing(world: World, what: str) -> None:
    with model(calls("Write", file_path=str(world.folder / "a.py"), content=SOURCE)) as api, service_that(what) as url:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
        environment |= {
            "CAIRN_BASE_URL": url,
            "CAIRN_API_KEY": "cairn_live_nobody",
            "TEST_BACKEND": world.backend,
            "TEST_OPTIONS": json.dumps(session_options(api, world.folder, world.home)),
        }
        # the agent SDK leaves generators before their end, of which trio warns
        warnings = ["-W", "error", "-W", "ignore:Async generator 'claude_agent_sdk:ResourceWarning"]
        program = [sys.executable, *warnings, str(Path(__file__).parent.parent / "program.py")]
        done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr.count("the session goes on without") == 1, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (world.folder / "a.py").read_text() == SOURCE
