"""The files below a session's folder, and what changed among them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cairn_client import Cairn
from cairn_client.agent import _manifest
from cairn_client.agent._manifest import Manifest, changed_since, manifest_of
from tests.agent.hooked import World


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


def test_a_file_s_content_is_read_once_as_long_as_it_does_not_change(folder: Path) -> None:
    for name in ("a.py", "b.py"):
        (folder / name).write_text(f"print({name!r})\n")
    before = manifest_of(folder, None)
    (folder / "b.py").write_text("print('more than that')\n")
    after = manifest_of(folder, None, before)
    assert after.files["a.py"] is before.files["a.py"], "the same, not only alike"
    assert changed_since(before, after, lambda _: True) == ["b.py"]
    assert changed_since(before, after, lambda _: False) == []


def test_all_files_are_known_and_folders_that_hold_no_work_passed_over(folder: Path) -> None:
    for number in range(6):
        (folder / f"d{number}" / "node_modules").mkdir(parents=True)
        for file in range(10):
            (folder / f"d{number}" / f"f{file}.py").write_text(f"x = {file}\n")
        (folder / f"d{number}" / "node_modules" / "x.js").write_text("1\n")
    found = manifest_of(folder, None)
    assert (len(found.files), found.whole) == (60, True)


def test_where_not_all_could_be_looked_at_before_nothing_is_said_of_changes(folder: Path) -> None:
    (folder / "a.py").write_text("print('a')\n")
    after = manifest_of(folder, None)
    assert changed_since(Manifest({}, whole=True), after, lambda _: True) == ["a.py"]
    assert changed_since(Manifest({}, whole=False), after, lambda _: True) == []


def test_a_session_at_rest_holds_only_what_the_next_look_needs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_manifest, "_MOST_HASHED", 3)
    for number in range(9):
        (folder / f"{number}.py").write_text(f"print({number})\n")
    world = World(folder, Cairn)
    world.prompt()
    assert len(world.session._before.files) == 9
    world.stop()
    assert [file.digest is not None for file in world.session._before.files.values()] == [True] * 3
    world.prompt()
    assert len(world.session._before.files) == 9
    world.put("8.py", "print('changed')\n")
    world.bash("make")
    assert world.stop().uploaded == ["8.py"]
    # a large folder is noted as such
    world.session._before = Manifest({}, whole=False)
    world.prompt()
    world.stop()
    assert not world.session._before.whole
