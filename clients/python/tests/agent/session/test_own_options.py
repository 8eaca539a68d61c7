"""Sessions of the agent SDK with what their users have of their own, such as hooks, permissions and settings."""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from cairn_client.agent import CairnAgent
from tests.agent.session.world import TASK, World, sdk, succeeded
from tests.agent.stand_in import DONE, Body, Reply, calls, model, offered_path, shown
from tests.long import at_night

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agent.stand_in import Model

pytestmark = pytest.mark.parametrize("world", ["asyncio"], indirect=True)


def writes(folder: Path, name: str) -> Reply:
    return calls("Write", file_path=str(folder / name), content=f"print('{name} of {folder}')\n")


def test_its_hooks_permissions_settings_and_folders_are_kept(world: World, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    (world.folder / "CLAUDE.md").write_text("The project speaks of itself.\n")
    (world.folder / ".claude").mkdir()
    (world.folder / ".claude" / "settings.json").write_text(json.dumps({"env": {"FROM_SETTINGS": "set"}}))
    world.store()
    heard: list[str] = []
    asked: list[str] = []

    def hook(what: str, answer: Any = None) -> list[Any]:
        async def run(*_: object) -> Any:
            heard.append(what)
            return answer or {}

        return [sdk.HookMatcher(hooks=[run])]

    async def can_use_tool(name: str, given: dict[str, Any], _: object) -> Any:
        asked.append(name)
        if "rm" in str(given.get("command")):
            return sdk.PermissionResultDeny(message="not that")
        return sdk.PermissionResultAllow()

    context = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "of my own hook"}}
    with model(
        lambda body: calls("Read", file_path=offered_path(body, "count_words.py")),
        writes(world.folder, "mine.py"),
        writes(beside, "beside.py"),
        calls("Bash", command="echo $FROM_SETTINGS > settings.txt; rm -rf /tmp/never"),
        calls("Bash", command="echo $FROM_SETTINGS > settings.txt"),
    ) as api:
        assert anyio.run(
            partial(
                world.run,
                api,
                setting_sources=["project"],
                add_dirs=[str(beside)],
                permission_mode="default",
                allowed_tools=[],
                can_use_tool=can_use_tool,
                hooks={
                    "UserPromptSubmit": hook("prompt", context),
                    "PreToolUse": hook("pre"),
                    "PostToolUse": hook("post"),
                    "Stop": hook("stop"),
                },
            )
        )
        first = shown(api.requests[0])
    assert "of my own hook" in first
    assert "count_words.py" in first
    assert "The project speaks of itself." in first
    assert asked == ["Write", "Write", "Bash", "Bash"], "the offered file is read without asking"
    assert {"prompt", "pre", "post", "stop"} <= set(heard)
    assert (world.folder / "settings.txt").read_text() == "set\n"
    assert (beside / "beside.py").exists()
    assert sorted(world.reports[0].uploaded) == ["mine.py", "settings.txt"], "what lies beside is not in the folder"


def test_nothing_is_voted_on_that_may_not_run_was_stopped_or_still_runs(world: World) -> None:
    world.store()

    def run(body: Body, form: str) -> Reply:
        command = form.format(f"python3 {offered_path(body, 'count_words.py')} /dev/stdin")
        return calls("Bash", command=command, run_in_background="background" in form)

    forms = ("{0} > ../out.txt", "{0} # in the background", "timeout 0.1 {0} < <(sleep 9)")
    with model(*(partial(run, form=form) for form in forms)) as api:
        allowed = ["Read", "Bash(timeout:*)", "Bash(python3:*)"]
        assert anyio.run(partial(world.run, api, permission_mode="default", allowed_tools=allowed))
    assert world.reports[0].votes == []
    assert (world.stored().thumbs_up, world.stored().thumbs_down) == (0, 0)


def test_sessions_at_the_same_time_in_folders_of_their_own(world: World, tmp_path: Path) -> None:
    worlds = [
        World(world.service, tmp_path / f"work{number}", world.home, workspace=world.workspace) for number in range(3)
    ]
    for one in worlds:
        one.folder.mkdir()

    async def session(number: int) -> None:
        one = worlds[number]
        with model(writes(one.folder, f"of{number}.py"), calls("Bash", command=f"echo {number} > made.txt")) as api:
            assert await one.run(api, f"write {number}")

    async def all_at_once() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(session, number)

    anyio.run(all_at_once)
    came = [(report.task, sorted(report.uploaded)) for one in worlds for report in one.reports]
    assert came == [(f"write {number}", ["made.txt", f"of{number}.py"]) for number in range(3)]
    assert len({report.session_id for one in worlds for report in one.reports}) == 3


# a forked session is resumed, under another id
@pytest.mark.parametrize("how", ["continued", pytest.param("resumed", marks=at_night), "forked"])
def test_what_a_later_session_of_the_same_conversation_writes_is_uploaded(world: World, how: str) -> None:
    with model(writes(world.folder, "first.py")) as api:
        assert anyio.run(world.run, api, "write the first")
    first = world.reports.pop().session_id
    ways: dict[str, dict[str, Any]] = {
        "continued": {"continue_conversation": True},
        "resumed": {"resume": first},
        "forked": {"resume": first, "fork_session": True},
    }
    with model(DONE, DONE, writes(world.folder, "second.py")) as api:
        assert anyio.run(partial(world.run, api, "write the second", **ways[how]))
    [report] = world.reports
    assert (report.task, report.uploaded) == ("write the second", ["second.py"])
    assert (report.session_id == first) == (how != "forked")


def test_clear_begins_another_session_in_the_same_process(world: World) -> None:
    with model(writes(world.folder, "after.py")) as api:
        assert anyio.run(world.run, api, "/clear", "write after it")
    assert world.reports[-1].uploaded == ["after.py"]


def test_a_subagent_s_work_is_the_session_s(world: World) -> None:
    part = world.folder / "part.py"

    def turn(body: Body) -> Reply:
        if "WRITE THE PART" in json.dumps(body["messages"][0]):
            return writes(world.folder, "part.py")
        given = {"description": "a part", "prompt": "WRITE THE PART", "subagent_type": "general-purpose"}
        return calls("Agent", **given)

    async def session(api: Model) -> bool:
        client = world.client()
        tools = ["Agent", "Write"]
        options = world.options(api, tools=tools, allowed_tools=tools)
        async with CairnAgent(options, client=client, on_report=world.reports.append) as agent:
            await agent.query("delegate a piece")
            messages: list[Any] = []
            # the subagent goes on after the turn, and its end begins another
            while not (part.exists() and any(report.uploaded for report in world.reports)):
                messages += [message async for message in agent.receive_response()]
        await client._transport.http.aclose()
        return succeeded(messages)

    with model(turn) as api:
        assert anyio.run(session, api)
    uploads = [(report.task, path) for report in world.reports for path in report.uploaded]
    assert uploads == [("delegate a piece", "part.py")]


# so it is in test_delivery.py
@at_night
def test_the_task_is_what_was_asked(world: World) -> None:
    with model(writes(world.folder, "a.py")) as api:
        assert anyio.run(world.run, api)
    assert [report.task for report in world.reports] == [TASK]


@pytest.mark.parametrize(("allowed", "debug"), [("Write", True), pytest.param("Read", False, marks=at_night)])
def test_tools_system_prompt_model_and_debug_flag_are_as_asked(
    world: World, allowed: str, debug: bool, caplog: pytest.LogCaptureFixture
) -> None:
    world.store()
    asked = {"tools": ["Read", "Write"], "allowed_tools": [allowed], "permission_mode": "default"}
    more = {**asked, "system_prompt": "You keep a lighthouse.", "model": "claude-opus-4-5"}

    async def session(api: Model) -> None:
        client = world.client()
        async with CairnAgent(world.options(api, **more), client=client, debug=debug) as agent:
            await agent.query(TASK)
            assert [message async for message in agent.receive_response()]
        await client._transport.http.aclose()

    log = logging.getLogger("cairn_client.agent")
    before = log.level
    try:
        with model(writes(world.folder, "asked.py")) as api:
            anyio.run(session, api)
            body = api.requests[0]
    finally:
        log.setLevel(before)
    assert body["model"] == "claude-opus-4-5"
    assert "You keep a lighthouse." in json.dumps(body["system"])
    assert sorted(tool["name"] for tool in body["tools"]) == ["Read", "Write"]
    assert (world.folder / "asked.py").exists() == (allowed == "Write")
    assert ("Session offered 1 snippets" in caplog.messages) == debug
