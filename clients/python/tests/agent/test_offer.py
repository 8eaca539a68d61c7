"""What a session is offered: on both clients, without the agent SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cairn_client import Cairn
from tests.agent.hooked import SOURCE, TASK, World, match


def test_a_prompt_is_searched_for_and_files_are_offered_without_their_code(world: World) -> None:
    context = world.prompt()
    path = Path(world.cached())
    assert world.sent == [
        ("search", {"task": TASK, "top_k": 5, "min_verdict_score": 0.3, "prefer_complete": True}),
    ]
    assert str(path) in context
    assert "Adds." in context
    assert "total = a + b" not in context
    assert path.read_text() == SOURCE
    world.observer.close()
    assert not path.parent.exists()


def test_nothing_is_offered_when_nothing_is_found(world: World) -> None:
    world.matches = []
    assert world.on("UserPromptSubmit", prompt=TASK) == {}


@pytest.mark.parametrize("prompt", ["", "  ", "/compact"])
def test_no_prompt_is_no_search(world: World, prompt: str) -> None:
    assert world.prompt(prompt) == ""
    assert world.sent == []


def test_the_machine_s_own_turns_are_not_searched_for(world: World) -> None:
    assert world.prompt("a task in the background ended", source="task-notification") == ""
    assert world.sent == []


def test_long_descriptions_stay_below_what_the_sdk_shows(world: World) -> None:
    deep = {f"package-{number}": "1" for number in range(500)}
    world.matches = [
        match(f"{'n' * 190}{number}.py", description="d" * 5000, entrypoint="e" * 1500, dependencies=deep)
        for number in range(5)
    ]
    context = world.prompt()
    assert 0 < len(context) < 10_000
    assert "d" * 401 not in context


def test_hostile_names_are_written_nowhere(world: World, caplog: pytest.LogCaptureFixture) -> None:
    names = ["../evil.py", str(world.folder / "evil.py"), "a/evil.py", "..\\evil.py", "evil.py\0", "..", "", "fine.py"]
    world.matches = [match(name) for name in names]
    context = world.prompt()
    cache = Path(world.cached()).parent
    assert [path.name for path in cache.iterdir()] == ["fine.py"]
    assert not (cache.parent / "evil.py").exists()
    assert list(world.folder.iterdir()) == []
    assert "evil" not in context
    assert [file.filename for file in world.session._usage.offered] == ["fine.py"]


def test_a_cache_folder_that_is_a_link_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    world = World(tmp_path / "work", Cairn, cache_dir=tmp_path / "link")
    assert world.prompt() == ""
    assert list((tmp_path / "target").iterdir()) == []
    assert len(caplog.records) == 1


def test_only_an_offered_file_may_be_read(world: World) -> None:
    world.prompt()

    def ask(path: str) -> Any:
        return world.on("PreToolUse", tool_name="Read", tool_input={"file_path": path})

    assert ask(world.cached())["hookSpecificOutput"]["permissionDecision"] == "allow"
    other = Path(world.cached()).parent / "other.py"
    other.symlink_to("/etc/hostname")
    assert ask(str(other)) == {}
    assert ask("/etc/hostname") == {}
