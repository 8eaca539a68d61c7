"""Sessions of the real agent SDK against a stand-in of the model: the published package's, and ours."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from here import Here, source, unique
from tests.agent.stand_in import KEY, Body, calls, model, shown
from tests.long import at_night

if TYPE_CHECKING:
    import asyncio
    from types import ModuleType

    from tests.agent.stand_in import Reply
    from tests.service import Service


class World:
    """A folder to work in, and the environment that users set."""

    def __init__(self, library: ModuleType, service: Service, loop: asyncio.AbstractEventLoop, folder: Path) -> None:
        self.library, self.loop, self.folder = library, loop, folder
        self.here = Here(library, "sync", service, loop)
        self.word = self.here.word

    def options(self, **more: Any) -> Any:
        # without one of its own, the published client asks for a sandbox, which needs socat
        given = {
            "cwd": self.folder,
            "setting_sources": [],
            "permission_mode": "acceptEdits",
            "tools": ["Read", "Write", "Bash"],
        }
        return self.library.ClaudeAgentOptions(
            **{**given, "allowed_tools": ["Read", "Write", "Bash"], "sandbox": {"enabled": False}, **more}
        )

    async def asks(self, prompt: str, client: Any) -> Any:
        result = None
        async with client:
            await client.query(prompt)
            async for message in client.response():
                if isinstance(message, self.library.ResultMessage):
                    result = message
        return result

    def session(self, prompt: str, *turns: Any, **options: Any) -> tuple[Any, list[Body]]:
        with model(*turns) as api, pytest.MonkeyPatch.context() as patch:
            patch.setenv("ANTHROPIC_BASE_URL", api.url)
            client = self.library.RaysurferClient(self.options(), **options)
            return self.loop.run_until_complete(self.asks(prompt, client)), api.requests

    def stored(self) -> dict[str, tuple[int, int]]:
        found = self.here.client.search(f"read {self.word} rows", 20, 0.0).matches
        return {match.code_block.name: (match.thumbs_up, match.thumbs_down) for match in found}

    def read(self, name: str) -> Any:
        """The model reads a file that it was offered, wherever that is."""

        def turn(body: Body) -> Reply:
            text = shown(body)
            end = text.index(f"/{name}`") + 1 + len(name)
            return calls("Read", file_path=text[text.rindex("`", 0, end) + 1 : end])

        return turn

    def write(self, word: str) -> Reply:
        return calls("Write", file_path=str(self.folder / f"{word}.py"), content=source(word))


# our sessions have their tests in clients/python: that they do the same under these names is shown by what goes all the
# way, and of the rest at night
THEIRS = pytest.mark.parametrize("library", ["raysurfer", pytest.param("cairn_client.compat", marks=at_night)])


@pytest.fixture
def world(
    library: str,
    service: Service,
    loop: asyncio.AbstractEventLoop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> World:
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name, value in {
        "RAYSURFER_API_KEY": service.key,
        "RAYSURFER_BASE_URL": service.base_url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
    }.items():
        monkeypatch.setenv(name, value)
    return World(importlib.import_module(library), service, loop, Path(os.path.realpath(folder)))


def test_what_one_writes_the_next_is_offered(world: World) -> None:
    prompt = f"read {world.word} rows"
    result, _ = world.session(prompt, world.write(world.word), calls("Bash", command=f"python3 {world.word}.py"))
    assert not result.is_error
    assert world.stored()[world.word] == (0, 0)
    (world.folder / f"{world.word}.py").unlink()
    made = unique()
    _, requests = world.session(prompt, world.read(f"{world.word}.py"), world.write(made))
    # the model read the code itself
    assert "csv.reader(file, delimiter=delimiter)" in shown(requests[1])
    assert world.stored()[made] == (0, 0)


@THEIRS
def test_what_was_used_gets_a_vote(world: World) -> None:
    world.here.stored()
    prompt = world.here.task
    world.session(prompt, world.read(f"{world.word}.py"), world.write(world.word))
    [match] = [one for one in world.here.client.search(prompt).matches if one.code_block.name == world.word]
    assert (match.thumbs_up, match.thumbs_down) == (2, 0)


@THEIRS
def test_a_customer_s_workspace(world: World) -> None:
    world.session(f"read {world.word} rows", world.write(world.word), workspace_id=f"{world.word}-ws", agent_id="a-1")
    assert world.word not in world.stored()
    inside = world.here.client_with(workspace_id=f"{world.word}-ws", snips_desired="client")
    [match] = inside.search(f"read {world.word} rows").matches
    assert (match.code_block.name, match.agent_id) == (world.word, "a-1")


@THEIRS
def test_a_failing_service_breaks_no_session(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAYSURFER_API_KEY", "cairn_live_wrong")
    result, _ = world.session("read rows", world.write(world.word))
    assert not result.is_error
    assert (world.folder / f"{world.word}.py").exists()


@THEIRS
def test_without_a_key_it_is_the_agent_sdk_s(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAYSURFER_API_KEY")
    with pytest.warns(UserWarning, match="RAYSURFER_API_KEY"):
        result, requests = world.session("read rows")
    assert not result.is_error
    assert world.word not in shown(requests[0])


def test_names(world: World) -> None:
    assert issubclass(world.library.RaysurferOpencodeClient, world.library.RaysurferClient)

    async def early() -> None:
        async for _ in world.library.RaysurferClient().response():
            pass

    with pytest.raises(RuntimeError, match="query"):
        world.loop.run_until_complete(early())
    with pytest.raises((ValueError, world.library.RaySurferError)):
        world.library.RaysurferClient(run_parse_sample_rate=2.0)


def test_an_agent_runs_a_conversation(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.here.stored()
    monkeypatch.chdir(world.folder)
    name = world.library.__name__
    if name == "raysurfer":
        monkeypatch.setattr("raysurfer.sdk_client.DEFAULT_SANDBOX_SETTINGS", {"enabled": False})
    with model(world.read(f"{world.word}.py")) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)

        async def run() -> Any:
            async with world.library.Agent(
                api_key=world.here.service.key, base_url=world.here.service.base_url, allowed_tools=["Read", "Glob"]
            ) as agent:
                return await agent.run(
                    [
                        {"role": "user", "content": "Hello."},
                        {"role": "assistant", "content": "Hello!"},
                        {"role": "user", "content": world.here.task},
                    ]
                )

        result = world.loop.run_until_complete(run())
    assert (result.query, result.succeeded) == (world.here.task, True)
    assert result.run_id
    assert isinstance(result.messages[-1], world.library.ResultMessage)
    assert all(set(one) == {"code_block_id", "filename", "description"} for one in result.code_used)
    if name == "raysurfer":
        # all that was offered; ours tells of what was used
        assert f"{world.word}.py" in [one["filename"] for one in result.code_used]
    with pytest.raises(ValueError, match="user message"):
        world.loop.run_until_complete(world.library.Agent().run([]))
