"""What a session delivers: what it wrote and how what it used did, against the real service."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from cairn_client.agent import Vote
from cairn_client.agent._client import _noted
from cairn_client.agent._hooks import Observer
from tests.agent.session.world import SEARCH, SOURCE, UPLOAD, VOTE, World, sdk
from tests.agent.stand_in import DONE, Body, calls, model, offered_path, shown


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
        assert anyio.run(world.run, api, backend=world.backend)
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

    fresh = World(world.service, world.folder.parent / "other", world.home, world.backend, world.workspace)
    fresh.folder.mkdir()

    def reads(body: Body) -> dict[str, Any]:
        return calls("Read", file_path=offered_path(body, "count_words.py"))

    def writes(body: Body) -> dict[str, Any]:
        assert "sum(len(line.split())" in shown(body)
        return calls("Write", file_path=str(fresh.folder / "words.py"), content=f"{SOURCE}\n# mine\n")

    with model(reads, writes) as api:
        # the cache folder lies outside of the session's: reading it is allowed all the same
        assert anyio.run(
            partial(fresh.run, api, permission_mode="default", allowed_tools=["Write"]), backend=world.backend
        )
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
        assert anyio.run(world.run, api, backend=world.backend)
    assert world.reports[0].votes == [Vote(block, False)]
    assert world.stored().thumbs_down == 1


def test_what_was_run_and_worked_is_voted_up(world: World) -> None:
    block = world.store()
    (world.folder / "a.txt").write_text("one two three\n")
    with model(lambda body: calls("Bash", command=f"python3 {offered_path(body, 'count_words.py')} a.txt")) as api:
        assert anyio.run(world.run, api, backend=world.backend)
    assert world.reports[0].votes == [Vote(block, True)]
    assert world.reports[0].uploaded == []
    assert world.stored().thumbs_up == 1


def test_it_has_many_turns_in_one_process(world: World) -> None:
    names = ["first_thing", "second_thing"]
    writes = [
        calls("Write", file_path=str(world.folder / f"{name}.py"), content=f"def {name}(): return 'of two'\n")
        for name in names
    ]
    with model(writes[0], DONE, writes[1]) as api:
        assert anyio.run(world.run, api, "write the first thing", "write the second thing", backend=world.backend)
    assert [(report.task, report.uploaded) for report in world.reports] == [
        ("write the first thing", ["first_thing.py"]),
        ("write the second thing", ["second_thing.py"]),
    ]
    assert world.sent == [SEARCH, UPLOAD, SEARCH, UPLOAD]
    assert len({report.session_id for report in world.reports}) == 1


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
    anyio.run(_noted, message, Listening())
    assert heard == [worked]
