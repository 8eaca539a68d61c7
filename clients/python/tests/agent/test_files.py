"""What of a session's files is uploaded, and what stays: on both clients, without the agent SDK."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest

from cairn_client import Cairn
from cairn_client.agent import _manifest
from cairn_client.agent._ignored import ignored_of
from tests.agent.hooked import SOURCE, World, later, match


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


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_repositories_inside_of_others_are_git_s_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(folder: Path, *command: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], cwd=folder, check=True)

    for folder in (tmp_path, tmp_path / "nested", tmp_path / "other"):
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q")
    (tmp_path / ".gitignore").write_text("*.tmp\n")
    (tmp_path / "nested" / ".gitignore").write_text("/x.py\n")
    (tmp_path / ".git" / "info" / "exclude").write_text("mine.py\n")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    git(tmp_path, "worktree", "add", "-q", "inner")
    paths = ["nested/x.py", "nested/y.py", "nested/z.tmp", "inner/a.tmp", "mine.py", "a.py"]
    ignored = {"inner/a.tmp", "mine.py", "nested/x.py", "nested/z.tmp"}
    assert ignored_of(tmp_path, paths) - {""} == ignored
    (tmp_path / "inner" / ".gitignore").write_text("only.py\n")
    assert "only.py" in ignored_of(tmp_path / "inner", ["only.py", "a.py"])
    # git's own variables, as a program has them that git itself started, name no other one
    (tmp_path / "other" / ".git" / "info" / "exclude").write_text("*.py\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert ignored_of(tmp_path, paths) - {""} == ignored


def ignored_with_git_and_without(root: Path, patch: pytest.MonkeyPatch, *paths: str) -> list[frozenset[str]]:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    by_git = ignored_of(root, paths) - {""}
    with patch.context() as without:
        without.setenv("PATH", str(root / "nowhere"))
        return [by_git, ignored_of(root, paths)]


@pytest.mark.skipif(os.name == "nt", reason="making links takes rights there")
def test_where_rules_can_t_be_read_all_files_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "rules").write_text("*.tmp\n")
    rules = tmp_path / "one" / ".gitignore"
    both = partial(ignored_with_git_and_without, tmp_path, monkeypatch)
    for to in ("../rules", "nowhere", ".gitignore"):
        rules.symlink_to(to)
        assert both("a.py", "one/a.py") == [{"a.py", "one/a.py"}] * 2
        rules.unlink()
    rules.mkdir()
    assert both("a.py", "one/a.py") == [set()] * 2
    rules.rmdir()
    rules.write_text("*.tmp\n")
    rules.chmod(0)
    if os.geteuid() != 0:
        monkeypatch.setenv("LANGUAGE", "de")
        assert both("a.py", "one/a.py") == [{"a.py", "one/a.py"}] * 2


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


def test_there_is_a_bound_of_files_that_tools_wrote(world: World) -> None:
    world.prompt()
    for number in range(25):
        world.write(f"{number}.py", f"print('number {number}')\n")
    world.on("Stop")
    [report] = world.reports
    assert len(report.uploaded) == 20
    assert [left.reason for left in report.left] == ["too many"] * 5


def test_more_than_that_by_commands_was_unpacked_and_not_written(world: World) -> None:
    world.prompt()
    for number in range(30):
        world.put(f"unpacked/{number}.py", f"print('number {number}')\n")
    world.bash("tar -xf theirs.tar")
    world.write("mine.py", "print('mine')\n")
    report = world.stop()
    assert (report.uploaded, len(report.left)) == (["mine.py"], 30)


def test_subagents_and_the_background_work_for_the_session(world: World) -> None:
    world.prompt("write one")
    world.tool("Write", event={"agent_id": "a1"}, file_path=str(world.put("sub.py", "print('by a subagent')\n")))
    world.bash("make server", tool_response={"backgroundTaskId": "b1"}, duration_ms=1)
    assert world.stop(background_tasks=[{"id": "b1", "status": "running"}]).uploaded == ["sub.py"]
    later()
    world.put("late.py", "print('made in the background')\n")
    world.prompt("<task-notification>b1 ended</task-notification>")
    assert world.stop(background_tasks=[]).uploaded == ["late.py"]
    # the machine's own turn goes on with what was asked
    assert [upload["task"] for upload in world.uploads()] == ["write one", "write one"]
    later()
    world.put("mine.py", "print('by the user, when nothing runs any more')\n")
    world.prompt("thanks")
    world.bash("true", duration_ms=1)
    assert world.stop().uploaded == []


def test_what_the_user_or_another_program_wrote_meanwhile_is_theirs(world: World) -> None:
    world.put("mine.py", "print('mine')\n")
    world.prompt()
    later()
    world.put("mine.py", "print('edited by the user while the model thought')\n")
    world.put("new.py", "print('new, by the user')\n")
    later()
    world.tool("Read", file_path=str(world.folder / "mine.py"))
    later()
    world.put("made.py", "print('made')\n")
    # it may be told of late
    later()
    world.bash("python3 gen.py", duration_ms=1)
    later()
    world.put("after.py", "print('by the user, after the command')\n")
    report = world.stop()
    assert (report.uploaded, report.left) == (["made.py"], [])


def test_without_a_tool_that_could_have_made_it_nothing_is_the_session_s(world: World) -> None:
    world.prompt()
    world.put("by_the_user.py", "print('user')\n")
    world.tool("Read", file_path=str(world.folder / "by_the_user.py"))
    world.tool("Agent", prompt="look around")
    world.bash("cd . && git pull")
    assert world.stop().uploaded == []


def test_what_was_only_touched_moved_copied_or_removed_again_is_no_work(world: World) -> None:
    for name in ("touched", "moved", "copied", "again", "mode"):
        world.put(f"{name}.py", f"print('{name}')\n")
    world.prompt()
    (world.folder / "touched.py").touch()
    (world.folder / "moved.py").rename(world.folder / "elsewhere.py")
    shutil.copyfile(world.folder / "copied.py", world.folder / "copy.py")
    world.put("again.py", "print('again')\n")
    (world.folder / "mode.py").chmod(0o755)
    world.write("gone.py", "print('gone')\n")
    (world.folder / "gone.py").unlink()
    world.bash("much")
    report = world.stop()
    assert (report.uploaded, report.left) == ([], [])


def test_a_later_success_that_did_not_change_it_does_not_send_it_again(world: World) -> None:
    world.prompt("one")
    world.write("a.py", "print('a')\n")
    world.put("b.py", "print('b')\n")
    world.bash("make")
    assert world.stop().uploaded == ["a.py", "b.py"]
    world.prompt("two")
    world.bash("make")
    assert world.stop().uploaded == []


def test_a_pipe_holds_nobody_up_and_a_name_that_is_no_text_is_passed_over(world: World) -> None:
    world.prompt()
    os.mkfifo(world.folder / "pipe.py")
    world.tool("Write", file_path=str(world.folder / "pipe.py"))
    (world.folder / os.fsdecode(b"\xff\xfe.py")).write_text("print('who can say my name')\n")
    world.put("gr\u00f6\u00dfe.py", "print('a name in UTF-8')\n")
    world.bash("make")
    report = world.stop()
    assert report.uploaded == ["gr\u00f6\u00dfe.py"]
    assert [(left.path, left.reason) for left in report.left] == [("pipe.py", "too large or no regular file")]


def test_a_folder_that_is_reached_through_a_link_or_gone_is_survived(tmp_path: Path) -> None:
    folder = Path(os.path.realpath(tmp_path)) / "work"
    folder.mkdir()
    way = tmp_path / "way"
    way.symlink_to(folder)
    world = World(way, Cairn)
    world.prompt()
    world.write("a.py", "print('a')\n")
    assert world.stop().uploaded == ["a.py"]
    world.prompt("go on")
    shutil.rmtree(folder)
    world.bash("rm -rf .")
    assert world.stop().uploaded == []


def test_an_offered_file_that_a_tool_or_a_command_changed_is_the_session_s(world: World) -> None:
    world.matches += [match("b.py", "print('the second')\n"), match("c.py", "print('the third')\n")]
    world.prompt()
    later()
    world.write(world.cached(), SOURCE + "print('by a tool')\n")
    world.put(world.cached("b.py"), "print('by a command')\n")
    world.bash(f"sed -i s/second/command/ {world.cached('b.py')}", tool_response={"backgroundTaskId": "b1"})
    report = world.stop(background_tasks=[{"id": "b1", "status": "running"}])
    assert (report.uploaded, report.votes) == (["add.py", "b.py"], [])
    assert [body["file_written"] for body in world.uploads()] == [
        {"path": "add.py", "content": SOURCE + "print('by a tool')\n"},
        {"path": "b.py", "content": "print('by a command')\n"},
    ]
    # the background goes on: what it changed before was sent
    world.prompt("and on")
    assert world.stop(background_tasks=[]).uploaded == []


def test_of_a_changed_offered_file_the_usual_rules_hold(world: World) -> None:
    world.matches += [match(f"{name}.py", f"print('{name}')\n") for name in ("large", "copy", "gone")]
    world.prompt()
    world.write(world.cached(), "api_key = 'abcdefgh12345678'\n")
    world.write(world.cached("large.py"), "#" * (_manifest.MOST_BYTES + 1))
    world.write(world.cached("copy.py"), "print('copy')\n\n")
    world.write(world.cached("gone.py"), "print('soon')\n")
    Path(world.cached("gone.py")).unlink()
    report = world.stop()
    assert report.uploaded == []
    assert [(file.path, file.reason) for file in report.left] == [
        ("add.py", "secret"),
        ("large.py", "too large or no regular file"),
    ]


def test_an_offered_file_that_another_file_was_only_copied_over_is_no_work(world: World) -> None:
    world.matches.append(match("sub.py", "print('subtracts')\n"))
    before = world.put("mine.py", "print('was in the project before')\n")
    world.prompt()
    later()
    shutil.copyfile(before, world.cached())
    world.bash(f"cp mine.py {world.cached()}")
    report = world.stop()
    assert (report.uploaded, report.left) == ([], [])
    world.prompt("and change it")
    later()
    Path(world.cached()).write_text("print('by a command')\n")
    world.bash(f"sed -i s/x/y/ {world.cached()}")
    assert world.stop().uploaded == ["add.py"]
    # what was sent under one name is no other work under another
    world.prompt("and copy it")
    later()
    shutil.copyfile(world.cached(), world.cached("sub.py"))
    world.bash(f"cp {world.cached()} {world.cached('sub.py')}")
    report = world.stop()
    assert (report.uploaded, report.left) == ([], [])
    # a tool says that it wrote it: that is no guess
    world.prompt("and write it")
    world.write(world.cached(), before.read_text())
    assert world.stop().uploaded == ["add.py"]


def test_an_offered_file_that_others_changed_is_not_the_session_s(tmp_path: Path) -> None:
    world = World(tmp_path, Cairn, cache_dir=tmp_path / "cache")
    world.prompt()
    world.put("cache/add.py", "print('by another session')\n")
    later()
    # a command begins after the event before it
    world.tool("Read", file_path="x")
    later()
    world.bash("true", duration_ms=1)
    report = world.stop()
    assert (report.uploaded, report.left) == ([], [])


def test_a_turn_that_goes_on_without_a_prompt_sends_what_commands_make(world: World) -> None:
    world.prompt()
    world.write("one.py", "print('one')\n")
    assert world.stop().uploaded == ["one.py"]
    later()
    world.tool("Read", file_path="one.py")
    world.put("two.py", "print('made because a hook of the user did not let it stop')\n")
    world.bash("make two.py")
    assert world.stop().uploaded == ["two.py"]


def test_of_a_folder_that_is_too_large_nothing_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        world.put(f"{name}.py", "print('there before')\n")
    monkeypatch.setattr(_manifest, "_MOST_ENTRIES", 2)
    world.prompt()
    before = world.session._before
    assert (before.files, before.whole) == ({}, False)
    world.write("new.py", "print('new')\n")
    assert world.stop().uploaded == ["new.py"]
