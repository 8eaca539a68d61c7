"""Sessions of the real agent SDK, against a stand-in of the model and the real service."""

from __future__ import annotations

import gc
import json
import logging
import os
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest

from cairn_client import AsyncCairn, Cairn
from cairn_client.agent import CairnAgent, SessionReport, Vote, cairn_hooks, query
from cairn_client.agent._client import _noted
from cairn_client.agent._hooks import Observer
from tests.agent.stand_in import DONE, KEY, Body, Model, calls, model, offered_path, shown

sdk = pytest.importorskip("claude_agent_sdk", reason="the agent SDK is not installed (pip install cairn-client[agent])")

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from claude_agent_sdk import Message

    from cairn_client.types import SearchMatch
    from tests.service import Service

TASK = "count the words of a text file"
SOURCE = '''import sys


def count_words(path: str) -> int:
    """Counts the words of a text file."""
    with open(path, encoding="utf-8") as lines:
        return sum(len(line.split()) for line in lines)


print(count_words(sys.argv[1]))
'''
SEARCH, UPLOAD, VOTE = "/api/retrieve/search", "/api/store/execution-result", "/api/store/cache-usage"


@dataclass
class World:
    """A customer's own snippets, a folder to work in, and what was asked of the service."""

    service: Service
    folder: Path
    home: Path
    workspace: str = field(default_factory=lambda: f"agent-{uuid.uuid4()}")
    sent: list[str] = field(default_factory=list)
    reports: list[SessionReport] = field(default_factory=list)

    def client(self, http: httpx2.AsyncBaseTransport | None = None) -> AsyncCairn:
        async def note(request: httpx2.Request) -> None:
            self.sent.append(request.url.path)

        http_client = httpx2.AsyncClient(transport=http, event_hooks={"request": [note]}, trust_env=False)
        return AsyncCairn(
            self.service.key,
            self.service.base_url,
            workspace_id=self.workspace,
            snips_desired="client",
            http_client=http_client,
        )

    def options(self, api: Model, **more: Any) -> Any:
        return sdk.ClaudeAgentOptions(**{**session_options(api, self.folder, self.home), **more})

    async def run(self, api: Model, *prompts: str, http: httpx2.AsyncBaseTransport | None = None, **more: Any) -> bool:
        """Whether the last turn was a success."""
        own = {name: more.pop(name) for name in ("cache_dir", "logger") if name in more}
        client = self.client(http)
        async with CairnAgent(self.options(api, **more), client=client, on_report=self.reports.append, **own) as agent:
            for prompt in prompts or (TASK,):
                await agent.query(prompt)
                messages = [message async for message in agent.receive_response()]
        await client._transport.http.aclose()
        return succeeded(messages)

    def ask(self, work: Callable[[Cairn], Any]) -> Any:
        with Cairn(
            self.service.key, self.service.base_url, workspace_id=self.workspace, snips_desired="client"
        ) as client:
            return work(client)

    def store(self, name: str = "count_words.py") -> str:
        self.ask(lambda client: client.upload(TASK, {"path": name, "content": SOURCE}, True))
        return self.stored().code_block.id

    def stored(self) -> SearchMatch:
        matches: list[SearchMatch] = self.ask(lambda client: client.search(TASK, 20, 0.0).matches)
        return next(match for match in matches if match.code_block.source == SOURCE)


def session_options(api: Model, folder: Path, home: Path) -> dict[str, Any]:
    tools = ["Read", "Write", "Bash"]
    return {
        "cwd": str(folder),
        "setting_sources": [],
        "permission_mode": "acceptEdits",
        "tools": tools,
        "allowed_tools": tools,
        "env": {
            "HOME": str(home),
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        },
    }


def succeeded(messages: list[Message]) -> bool:
    last = messages[-1]
    assert isinstance(last, sdk.ResultMessage)
    return not last.is_error and last.subtype == "success"


async def drained(messages: AsyncIterator[Message]) -> list[Message]:
    """All messages. After a result that is an error the SDK's `query` raises, too."""
    found: list[Message] = []
    try:
        async for message in messages:
            found.append(message)
    except sdk.ProcessError:
        assert isinstance(found[-1], sdk.ResultMessage)
    return found


@pytest.fixture
def world(service: Service, tmp_path: Path) -> World:
    made = World(service, Path(os.path.realpath(tmp_path)) / "work", tmp_path / "home")
    made.folder.mkdir()
    made.home.mkdir()
    return made


def test_what_it_wrote_is_uploaded_and_a_fresh_one_is_offered_it_and_votes(world: World) -> None:
    subprocess.run(["git", "init", "-q"], cwd=world.folder, check=True)
    (world.folder / ".gitignore").write_text("build/\n*.tmp.py\n")
    (world.folder / "mine.py").write_text("print('was here before')\n")
    script = """python3 count_words.py .gitignore && mkdir -p build node_modules/x lib
echo 'def twice(n): return n + n' > lib/twice.py && touch mine.py
echo 1 > build/out.py; echo 1 > a.tmp.py; echo 1 > node_modules/x/i.js; echo A=1 > .env
printf 'a\\0b' > raw.bin; echo 'key = "AKIA0123456789ABCDEF"' > aws.py; ln -s /etc/hostname link.txt"""
    write = calls("Write", file_path=str(world.folder / "count_words.py"), content=SOURCE)
    with model({"content": [*write["content"], *calls("Bash", command=script)["content"]]}) as api:
        assert anyio.run(world.run, api)
    [report] = world.reports
    assert sorted(report.uploaded) == ["count_words.py", "lib/twice.py"]
    reasons = {left.path: left.reason for left in report.left}
    assert reasons == {
        ".env": "secret",
        "a.tmp.py": "ignored",
        "aws.py": "secret",
        "build/out.py": "ignored",
        "raw.bin": "binary",
    }
    found = world.stored()
    assert found.thumbs_up == 0
    assert world.sent == [SEARCH, UPLOAD, UPLOAD]

    fresh = World(world.service, world.folder.parent / "other", world.home, world.workspace)
    fresh.folder.mkdir()

    def reads(body: Body) -> dict[str, Any]:
        return calls("Read", file_path=offered_path(body, "count_words.py"))

    def writes(body: Body) -> dict[str, Any]:
        assert "sum(len(line.split())" in shown(body)
        return calls("Write", file_path=str(fresh.folder / "words.py"), content=f"{SOURCE}\n# mine\n")

    with model(reads, writes) as api:
        # the cache folder lies outside of the session's: reading it is allowed all the same
        assert anyio.run(partial(fresh.run, api, permission_mode="default", allowed_tools=["Write"]))
        assert "sum(len(line.split())" not in shown(api.requests[0]), "names and descriptions, not sources"
    [report] = fresh.reports
    assert report.votes == [Vote(found.code_block.id, True)]
    assert report.uploaded == ["words.py"]
    assert world.stored().thumbs_up == 1
    assert fresh.sent == [SEARCH, UPLOAD, VOTE]
    assert not Path(report.offered[0].path).parent.exists(), "the cache folder goes with the session"


def test_what_was_run_and_failed_is_voted_down(world: World) -> None:
    block = world.store()
    with model(lambda body: calls("Bash", command=f"python3 {offered_path(body, 'count_words.py')} 2>&1")) as api:
        assert anyio.run(world.run, api)
    assert world.reports[0].votes == [Vote(block, False)]
    assert world.stored().thumbs_down == 1


def test_what_was_run_and_worked_is_voted_up(world: World) -> None:
    block = world.store()
    (world.folder / "a.txt").write_text("one two three\n")
    with model(lambda body: calls("Bash", command=f"python3 {offered_path(body, 'count_words.py')} a.txt")) as api:
        assert anyio.run(world.run, api)
    assert world.reports[0].votes == [Vote(block, True)]
    assert world.reports[0].uploaded == []
    assert world.stored().thumbs_up == 1


@pytest.mark.parametrize("status", [401, 500])
def test_a_failing_model_leaves_no_vote_and_no_upload(world: World, status: int) -> None:
    world.store()
    with model(
        lambda body: calls("Read", file_path=offered_path(body, "count_words.py")),
        calls("Write", file_path=str(world.folder / "failed.py"), content=SOURCE),
        {"status": status},
    ) as api:
        assert not anyio.run(world.run, api)
    assert (world.folder / "failed.py").exists()
    assert world.sent == [SEARCH]
    assert world.reports == []
    assert (world.stored().thumbs_up, world.stored().thumbs_down) == (0, 0)


def test_a_session_that_runs_out_of_turns_leaves_nothing(world: World) -> None:
    write = calls("Write", file_path=str(world.folder / "half.py"), content=SOURCE)
    with model(write, write) as api:
        assert not anyio.run(partial(world.run, api, max_turns=1))
    assert (world.folder / "half.py").exists()
    assert world.sent == [SEARCH]


def test_it_has_many_turns_in_one_process(world: World) -> None:
    names = ["first_thing", "second_thing"]
    writes = [
        calls("Write", file_path=str(world.folder / f"{name}.py"), content=f"def {name}(): return 'of two'\n")
        for name in names
    ]
    with model(writes[0], DONE, writes[1]) as api:
        assert anyio.run(world.run, api, "write the first thing", "write the second thing")
    assert [(report.task, report.uploaded) for report in world.reports] == [
        ("write the first thing", ["first_thing.py"]),
        ("write the second thing", ["second_thing.py"]),
    ]
    assert world.sent == [SEARCH, UPLOAD, SEARCH, UPLOAD]
    assert len({report.session_id for report in world.reports}) == 1


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
        assert anyio.run(partial(world.run, api, http=Renaming(), cache_dir=cache))
        assert "evil.py" not in shown(api.requests[0])
    [report] = world.reports
    assert [file.filename for file in report.offered] == ["fine.py"]
    assert [path.name for path in world.folder.rglob("*")] == ["deep", "cache", "fine.py"]
    assert not list(world.folder.parent.rglob("evil.py"))
    assert report.uploaded == [], "the cache folder is no work of the session"
    assert len(caplog.records) == 4


def test_without_a_service_it_goes_on_warns_once_and_prints_nothing(world: World) -> None:
    with model(calls("Write", file_path=str(world.folder / "a.py"), content=SOURCE)) as api:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
        environment |= {
            "CAIRN_BASE_URL": "http://127.0.0.1:1",
            "CAIRN_API_KEY": "cairn_live_nobody",
            "TEST_OPTIONS": json.dumps(session_options(api, world.folder, world.home)),
        }
        program = [sys.executable, "-W", "error", str(Path(__file__).parent / "program.py")]
        done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr.count("the session goes on without") == 1, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (world.folder / "a.py").read_text() == SOURCE


@pytest.mark.parametrize("kind", [Cairn, AsyncCairn])
def test_the_hooks_do_the_same_in_a_client_of_ones_own(world: World, kind: type) -> None:
    block = world.store()
    (world.folder / "a.txt").write_text("one two three\n")
    seen: list[str] = []

    async def own(event: Any, *_: object) -> dict[str, Any]:
        seen.append(event["tool_name"])
        return {}

    async def session(api: Model) -> bool:
        client = kind(world.service.key, world.service.base_url, workspace_id=world.workspace, snips_desired="client")
        hooks = cairn_hooks(client, on_report=world.reports.append)
        hooks["PostToolUse"] = [sdk.HookMatcher(hooks=[own]), *hooks["PostToolUse"]]
        async with sdk.ClaudeSDKClient(world.options(api, hooks=hooks)) as agent:
            await agent.query(TASK)
            messages = await drained(agent.receive_response())
        closed = client.close()
        if closed is not None:
            await closed
        return succeeded(messages)

    with model(
        lambda body: calls("Bash", command=f"python3 {offered_path(body, 'count_words.py')} a.txt"),
        calls("Write", file_path=str(world.folder / "new.py"), content="print('a new thing of this session')\n"),
    ) as api:
        assert anyio.run(session, api)
    [report] = world.reports
    assert (report.uploaded, report.votes) == (["new.py"], [Vote(block, True)])
    assert seen == ["Bash", "Write"]
    gc.collect()
    assert not Path(report.offered[0].path).parent.exists(), "the cache folder goes with the hooks"


@pytest.mark.parametrize(("second", "more"), [({"status": 401}, {}), (DONE, {"max_turns": 1})])
def test_the_hooks_leave_nothing_of_a_failed_turn(world: World, second: Any, more: Any) -> None:
    world.store()

    async def session(api: Model) -> bool:
        client = world.client()
        hooks = cairn_hooks(client, on_report=world.reports.append)
        messages = await drained(sdk.query(prompt=TASK, options=world.options(api, hooks=hooks, **more)))
        await client._transport.http.aclose()
        return succeeded(messages)

    with model(lambda body: calls("Bash", command=f"python3 {offered_path(body, 'count_words.py')}"), second) as api:
        assert not anyio.run(session, api)
    assert world.sent == [SEARCH]
    assert world.reports == []


def test_query_is_one_session(world: World) -> None:
    world.store()
    client = world.client()

    async def session(api: Model) -> bool:
        messages = await drained(query(TASK, world.options(api), client=client, on_report=world.reports.append))
        await client._transport.http.aclose()
        return succeeded(messages)

    with model(
        calls("Write", file_path=str(world.folder / "new.py"), content="print('a new thing of a query')\n")
    ) as api:
        assert anyio.run(session, api)
        assert "count_words.py" in shown(api.requests[0])
    [report] = world.reports
    assert report.uploaded == ["new.py"]
    assert not Path(report.offered[0].path).parent.exists()


@pytest.mark.parametrize(
    ("is_error", "subtype", "worked"),
    [(False, "success", True), (True, "success", False), (False, "error_max_turns", False)],
)
def test_a_result_is_a_success_only_without_an_error(is_error: bool, subtype: str, worked: bool) -> None:
    heard: list[bool] = []

    class Listening(Observer):
        def __init__(self) -> None:
            pass

        async def result(self, session_id: str, succeeded: bool) -> None:
            heard.append(succeeded)

    message = sdk.ResultMessage(
        subtype=subtype, duration_ms=1, duration_api_ms=1, is_error=is_error, num_turns=1, session_id="s"
    )
    assert anyio.run(_noted, message, Listening())
    assert heard == [worked]
