"""The folder of offered files: without the agent SDK."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cairn_client import Cairn
from tests.agent.hooked import World


def test_its_own_goes_with_the_program() -> None:
    program = (
        "import sys; from pathlib import Path; from cairn_client.agent._cache_folder import CacheFolder; "
        "folder = CacheFolder(None); print(folder.make(Path.cwd()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "cairn-snippets-" in done.stdout
    assert not Path(done.stdout.strip()).exists()


def test_each_session_has_its_own_which_goes_at_its_end(world: World) -> None:
    def folder(name: str) -> Path:
        world.prompt(session_id=name)
        found: Path = world.observer._sessions[name].cache.real  # type: ignore[assignment]
        assert (found / "add.py").exists()
        return found

    one, two = folder("1"), folder("2")
    assert one != two
    world.on("SessionEnd", session_id="1")
    assert (one.exists(), two.exists()) == (False, True)
    world.on("SessionEnd", session_id="2")
    assert not two.exists()


def test_a_link_in_its_place_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    world = World(tmp_path / "work", Cairn, cache_dir=tmp_path / "link")
    assert world.prompt() == ""
    assert list((tmp_path / "target").iterdir()) == []
    assert len(caplog.records) == 1


@pytest.mark.parametrize("cache", ["work", "."])
def test_it_may_not_hold_the_session_s_folder(tmp_path: Path, cache: str, caplog: pytest.LogCaptureFixture) -> None:
    work = Path(os.path.realpath(tmp_path)) / "work"
    work.mkdir()
    (work / "add.py").write_text("mine")
    world = World(work, Cairn, cache_dir=tmp_path / cache)
    assert world.prompt() == ""
    assert "cache_dir holds the session's folder" in caplog.text
    assert [path.name for path in tmp_path.rglob("*")] == ["work", "add.py"]
    assert (work / "add.py").read_text() == "mine"


def test_inside_of_the_session_s_folder_it_is_no_work_of_the_session(tmp_path: Path) -> None:
    folder = Path(os.path.realpath(tmp_path))
    world = World(folder, Cairn, cache_dir=folder / ".cairn")
    world.prompt()
    world.write(".cairn/added.py", "print('into the cache')\n")
    world.bash("true")
    report: Any = world.stop()
    assert (report.uploaded, report.left) == ([], [])
    world.observer.close()
    assert (folder / ".cairn" / "add.py").exists(), "the folder is the caller's"
