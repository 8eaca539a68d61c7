"""How the turns of sessions end: on both clients, without the agent SDK."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from cairn_client import AsyncCairn
from cairn_client.agent import Vote
from tests.agent.hooked import SOURCE, TASK, World


def test_files_and_votes_go_out_at_the_end_with_the_logs(world: World) -> None:
    world.prompt()
    world.tool("Read", file_path=world.cached())
    world.write("sums.py", f"{SOURCE}\nprint(add_numbers(1, 2))\n")
    world.tool("Bash", command="python3 sums.py", response={"stdout": "3 is the sum\n", "stderr": ""})
    assert world.names() == ["search"]
    report = world.stop()
    assert world.names() == ["search", "execution-result", "cache-usage"]
    upload, vote = world.sent[1][1], world.sent[2][1]
    assert upload["file_written"] == {"path": "sums.py", "content": f"{SOURCE}\nprint(add_numbers(1, 2))\n"}
    assert (upload["task"], upload["succeeded"]) == (TASK, True)
    assert "3 is the sum" in upload["execution_logs"]
    assert (vote["code_block_id"], vote["succeeded"]) == ("id-add.py", True)
    assert (report.uploaded, report.votes) == (["sums.py"], [Vote("id-add.py", True)])
    # nothing twice
    world.prompt("and what else")
    world.on("Stop")
    assert world.names() == ["search", "execution-result", "cache-usage", "search"]


def test_a_failure_sends_nothing_and_the_next_success_takes_it_up(world: World) -> None:
    world.prompt()
    world.write("half.py", "print('one half of the work')\n")
    world.bash(f"python3 {world.cached()}", "Exit code 7")
    world.on("StopFailure", error="rate_limit")
    assert world.names() == ["search"]
    world.prompt("go on")
    report = world.stop()
    assert (report.uploaded, report.task) == (["half.py"], f"{TASK}\ngo on")
    assert report.votes == [Vote("id-add.py", False)]
    assert "Exit code 7" in world.uploads()[0]["execution_logs"]


class Deciding(World):
    """A session whose results decide, as `CairnAgent`'s do."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Path(os.path.realpath(folder)), AsyncCairn, "result")

    def result(self, succeeded: bool, session: str = "s1") -> None:
        anyio.run(self.observer.result, session, succeeded)

    def came(self) -> list[Any]:
        return [(report.task, report.uploaded) for report in self.reports]


@pytest.mark.parametrize(("worked", "uploaded"), [(True, [(TASK, ["done.py"])]), (False, [])])
def test_when_the_result_decides_the_end_of_a_turn_sends_nothing(
    tmp_path: Path, worked: bool, uploaded: list[Any]
) -> None:
    world = Deciding(tmp_path)
    world.prompt()
    world.write("done.py", "print('all of the work')\n")
    world.on("Stop")
    world.result(True, "another")
    assert world.names() == ["search"]
    world.result(worked)
    assert world.came() == uploaded
    world.observer.close()


def test_a_turn_that_began_before_the_last_one_s_result_was_heard_keeps_what_it_did(tmp_path: Path) -> None:
    world = Deciding(tmp_path)
    world.prompt("one")
    world.write("one.py", "print('the first one')\n")
    world.on("Stop")
    world.prompt("two")
    world.write("two.py", "print('the second one')\n")
    world.result(True)
    world.on("Stop")
    world.result(True)
    assert world.came() == [("one", ["one.py"]), ("two", ["two.py"])]
    world.observer.close()


def test_a_failure_of_the_model_leaves_an_earlier_turn_s_success_to_its_result(tmp_path: Path) -> None:
    world = Deciding(tmp_path)
    world.prompt("one")
    world.write("one.py", "print('the first one')\n")
    world.on("Stop")
    world.prompt("two")
    world.on("StopFailure", error="server_error")
    world.result(True)
    world.result(False)
    assert world.came() == [("one", ["one.py"])]
    world.observer.close()


def test_sessions_in_one_program_are_kept_apart(world: World, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = {"session_id": "other", "cwd": str(tmp_path_factory.mktemp("other"))}
    world.prompt("one")
    world.matches = []
    world.prompt("two", **other)
    world.write("mine.py", "print('of the first one')\n")
    world.bash("make", **other)
    world.on("Stop", **other)
    world.on("Stop")
    assert [(report.session_id, report.task, len(report.offered), report.uploaded) for report in world.reports] == [
        ("other", "two", 0, []),
        ("s1", "one", 1, ["mine.py"]),
    ]
    world.observer.close()
