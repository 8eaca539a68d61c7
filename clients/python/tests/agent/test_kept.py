"""How many sessions hooks follow: without the agent SDK."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio

from cairn_client.agent import _session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tests.agent.hooked import World


def begins(world: World, name: str) -> Path:
    """Where its offered files lie."""
    world.prompt(session_id=name)
    folder: Path = world.observer._sessions[name].cache.real  # type: ignore[assignment]
    assert folder.exists()
    return folder


def rests(world: World, name: str) -> Path:
    folder = begins(world, name)
    world.on("Stop", session_id=name)
    return folder


def test_of_more_sessions_at_rest_than_are_kept_the_one_longest_without_an_event_ends(world: World) -> None:
    folders = {str(number): rests(world, str(number)) for number in range(32)}
    world.on("PostToolUse", session_id="0", tool_name="Read", tool_input={})
    world.on("Stop", session_id="0")
    world.on("SessionEnd", session_id="of another program")
    folders["new"] = begins(world, "new")
    assert [name for name, folder in folders.items() if not folder.exists()] == ["1"]
    assert len(world.observer._sessions) == 32
    # it begins anew
    world.reports.clear()
    folders["1"] = rests(world, "1")
    assert [name for name, folder in folders.items() if not folder.exists()] == ["2"]
    assert [(report.session_id, len(report.offered)) for report in world.reports] == [("1", 1)]
    world.observer.close()
    assert not any(folder.exists() for folder in folders.values())


def test_forty_whose_turns_are_under_way_at_once_all_deliver_and_then_make_room(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    names = [str(number) for number in range(40)]

    async def at_once(event: str, **more: str) -> None:
        async def happens(name: str) -> None:
            given = {"hook_event_name": event, "session_id": name, "cwd": str(world.folder), **more}
            await world.hooks[event][1](given, None, {})

        async with anyio.create_task_group() as group:
            for name in names:
                group.start_soon(happens, name)

    anyio.run(partial(at_once, "UserPromptSubmit", prompt="add two numbers"))
    folders = [world.observer._sessions[name].cache.real for name in names]
    for name in names:
        path = world.put(f"{name}.py", f"print('work of {name}')\n")
        world.tool("Write", None, None, {"session_id": name}, file_path=str(path))
    assert all(folder is not None and folder.exists() for folder in folders)
    anyio.run(partial(at_once, "Stop"))
    assert sorted((report.session_id, report.uploaded) for report in world.reports) == sorted(
        (name, [f"{name}.py"]) for name in names
    )
    assert all(folder is not None and folder.exists() for folder in folders)
    assert caplog.records == []
    world.prompt(session_id="another")
    assert sum(folder is not None and not folder.exists() for folder in folders) == 9


def test_a_session_is_not_at_rest_that_failed_waits_for_a_command_or_used_a_tool_since(world: World) -> None:
    def waits() -> None:
        response = {"backgroundTaskId": "b1"}
        world.tool("Bash", None, response, {"session_id": "waiting"}, command="make")
        world.on("Stop", session_id="waiting", background_tasks=[{"id": "b1"}])

    def uses() -> None:
        world.on("Stop", session_id="used")
        world.tool("Bash", None, None, {"session_id": "used"}, command="true")

    states: dict[str, Callable[[], object]] = {
        "begun": lambda: None,
        "failed": lambda: world.on("StopFailure", session_id="failed"),
        "waiting": waits,
        "used": uses,
    }
    folders = []
    for name, comes in states.items():
        folders.append(begins(world, name))
        comes()
    others = [rests(world, str(number)) for number in range(40)]
    assert all(folder.exists() for folder in folders)
    assert sum(not folder.exists() for folder in others) == 12


def test_a_session_is_not_at_rest_while_its_turn_is_read_and_delivered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def spied(name: str) -> None:
        real = getattr(_session, name)

        def spy(*given: Any) -> Any:
            seen.append((name, world.session.rests))
            return real(*given)

        monkeypatch.setattr(_session, name, spy)

    spied("collect")
    spied("deliver")
    world.prompt()
    assert not world.session.rests
    world.stop()
    assert seen == [("collect", False), ("deliver", False)]
    assert world.session.rests


def fails(world: World, name: str) -> Path:
    folder = begins(world, name)
    world.on("StopFailure", session_id=name)
    return folder


def test_those_whose_last_turn_failed_make_room_after_those_at_rest(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    under_way = begins(world, "under way")
    path = world.put("a.py", "print('under way')\n")
    world.tool("Write", None, None, {"session_id": "under way"}, file_path=str(path))
    failed = [fails(world, f"failed {number}") for number in range(15)]
    resting = [rests(world, f"at rest {number}") for number in range(16)]
    failed += [fails(world, f"failed {number}") for number in range(15, 34)]
    assert not any(folder.exists() for folder in resting)
    assert [folder.exists() for folder in failed] == [False] * 3 + [True] * 31
    assert under_way.exists()
    assert world.stop(session_id="under way").uploaded == ["a.py"]
    assert caplog.messages == []


def test_those_without_an_event_for_twenty_minutes_are_given_up_then_with_one_warning(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [begins(world, str(number)) for number in range(40)]
    now = time.monotonic

    def later(minutes: int) -> None:
        monkeypatch.setattr(time, "monotonic", lambda: now() + minutes * 60)

    later(19)
    world.tool("Bash", None, None, {"session_id": "0"}, command="true")
    folders.append(begins(world, "another"))
    assert ([folder.exists() for folder in folders], caplog.messages) == ([True] * 41, [])
    later(21)
    folders.append(begins(world, "last"))
    assert [number for number, folder in enumerate(folders) if not folder.exists()] == list(range(1, 11))
    [message] = caplog.messages
    assert message.endswith("one without an event for 20 minutes is given up")


def test_one_whose_first_event_is_no_prompt_sends_what_its_tools_wrote_and_rests(world: World) -> None:
    for number in range(60):
        name = str(number)
        path = world.put(f"{name}.py", f"print('work of {name}')\n")
        world.tool("Write", None, None, {"session_id": name}, file_path=str(path))
        # where a command has led to is not where the session began
        below = str(world.folder / "lib")
        world.tool("Bash", None, None, {"session_id": name, "cwd": below}, command="cd lib")
        world.on("Stop", session_id=name, cwd=below)
    assert [(report.session_id, report.uploaded) for report in world.reports] == [
        (str(number), [f"{number}.py"]) for number in range(60)
    ]
    assert len(world.observer._sessions) == 32


def test_of_more_than_a_thousand_under_way_the_one_longest_without_an_event_goes_with_one_warning(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    folder = begins(world, "first")
    bash = partial(world.tool, "Bash", None, None)
    for number in range(1, 1_000):
        bash({"session_id": str(number)}, command="true")
    assert (folder.exists(), caplog.messages) == (True, [])
    for number in (1_000, 1_001):
        bash({"session_id": str(number)}, command="true")
    assert not folder.exists()
    (message,) = caplog.messages
    assert message.startswith("More than 1000 sessions are under way")
