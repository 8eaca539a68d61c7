"""What of a session's files is uploaded, and what stays: on both clients, without the agent SDK."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cairn_client import Cairn
from tests.agent.hooked import World


def test_what_commands_made_is_found_and_the_rest_stays(world: World) -> None:
    (world.folder / "before.py").write_text("print('was here')\n")
    (world.folder / "changed.py").write_text("print('old')\n")
    (world.folder / ".gitignore").write_text("out/\n*.tmp\n!keep.tmp\n")
    world.prompt()
    made = {
        "changed.py": "print('now new')\n",
        "lib/made.py": "print('made')\n",
        "out/built.py": "print('built')\n",
        "a.tmp": "a",
        "keep.tmp": "kept",
        ".env": "A=1",
        "node_modules/x/i.js": "1",
        ".git/hooks/x.py": "1",
        "key.py": "api_key = 'abcdefgh12345678'\n",
        "sample.py": "api_key = 'your-key-here'\n",
        "long.txt": "x" * 300_000,
        "empty.py": " \n",
        "package-lock.json": "{}",
    }
    for name, content in made.items():
        path = world.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    (world.folder / "raw.bin").write_bytes(b"a\0b")
    (world.folder / "link.py").symlink_to("/etc/hostname")
    os.mkfifo(world.folder / "pipe")
    world.tool("Bash", command="make", response="made")
    world.on("Stop")
    [report] = world.reports
    assert sorted(report.uploaded) == ["changed.py", "keep.tmp", "lib/made.py", "sample.py"]
    assert {left.path: left.reason for left in report.left} == {
        "out/built.py": "ignored",
        "a.tmp": "ignored",
        ".env": "secret",
        "key.py": "secret",
        "long.txt": "too large or no regular file",
        "empty.py": "empty",
        "package-lock.json": "generated",
        "raw.bin": "binary",
    }


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_says_what_is_ignored_whatever_the_repository_would_run(world: World) -> None:
    git = ["git", "-C", str(world.folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    (world.folder / ".git" / "info" / "exclude").write_text("hidden/**/x.py\n")
    world.prompt()
    evil = world.folder.parent / "ran"
    subprocess.run([*git, "config", "core.fsmonitor", f"touch {evil}; false"], check=True)
    world.write("hidden/a/b/x.py", "print('hidden')\n")
    world.write("shown/x.py", "print('shown')\n")
    world.on("Stop")
    [report] = world.reports
    assert report.uploaded == ["shown/x.py"]
    assert [(left.path, left.reason) for left in report.left] == [("hidden/a/b/x.py", "ignored")]
    assert not evil.exists()


def test_what_lies_outside_or_in_the_cache_folder_is_not_the_session_s(tmp_path: Path) -> None:
    folder = Path(os.path.realpath(tmp_path)) / "work"
    folder.mkdir()
    world = World(folder, Cairn, cache_dir=folder / "cache")
    world.prompt()
    world.write("../outside.py", "print('outside')\n")
    world.write("cache/added.py", "print('into the cache')\n")
    (folder / "way").symlink_to(tmp_path)
    world.write("way/through.py", "print('through a link')\n")
    world.tool("Bash", command="true")
    world.on("Stop")
    [report] = world.reports
    assert (report.uploaded, report.left) == ([], [])
    world.observer.close()
    assert (folder / "cache" / "add.py").exists(), "the folder is the caller's"


def test_there_is_a_bound(world: World) -> None:
    world.prompt()
    for number in range(25):
        world.write(f"{number}.py", f"print('number {number}')\n")
    world.tool("Bash", command="yes", response={"stdout": "y" * 100_000, "stderr": "the end"})
    world.on("Stop")
    [report] = world.reports
    assert len(report.uploaded) == 20
    assert [left.reason for left in report.left] == ["too many"] * 5
    logs = world.sent[1][1]["execution_logs"]
    assert len(logs) <= 32_000
    assert logs.endswith("the end")


def test_secrets_stay_in_files_logs_and_tasks(tmp_path: Path) -> None:
    secret = "a-very-secret-value"
    world = World(Path(os.path.realpath(tmp_path)), Cairn, env={"MY_TOKEN": secret})
    world.prompt(f"log in with {secret}")
    world.write("with.py", f"print('{secret}')\n")
    world.write("without.py", "print('without')\n")
    world.tool("Bash", command=f"curl -H 'Authorization: Bearer {secret}' x", response=f"{secret} AKIA0123456789ABCDEF")
    world.on("Stop")
    assert world.reports[0].uploaded == ["without.py"]
    sent = json.dumps(world.sent[1:])
    assert secret not in sent
    assert "AKIA" not in sent
    assert "***" in sent
