"""What hooks do: on both clients, without the agent SDK."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from cairn_client import AsyncCairn, Cairn
from cairn_client.agent import SessionReport, Vote
from tests.agent.hooked import SOURCE, TASK, World


def test_files_and_votes_go_out_at_the_end_with_the_logs(world: World) -> None:
    world.prompt()
    world.tool("Read", file_path=world.cached())
    world.write("sums.py", f"{SOURCE}\nprint(add_numbers(1, 2))\n")
    world.tool("Bash", command="python3 sums.py", response={"stdout": "3 is the sum\n", "stderr": ""})
    assert world.names() == ["search"]
    world.on("Stop")
    assert world.names() == ["search", "execution-result", "cache-usage"]
    upload, vote = world.sent[1][1], world.sent[2][1]
    assert upload["file_written"] == {"path": "sums.py", "content": f"{SOURCE}\nprint(add_numbers(1, 2))\n"}
    assert (upload["task"], upload["succeeded"]) == (TASK, True)
    assert "3 is the sum" in upload["execution_logs"]
    assert (vote["code_block_id"], vote["succeeded"]) == ("id-add.py", True)
    [report] = world.reports
    assert (report.uploaded, report.votes) == (["sums.py"], [Vote("id-add.py", True)])
    # nothing twice
    world.prompt("and what else")
    world.on("Stop")
    assert world.names() == ["search", "execution-result", "cache-usage", "search"]


@pytest.mark.parametrize(
    ("read", "written", "votes"),
    [
        (False, SOURCE + "x = 1\n", []),
        (True, "print('something else altogether')\n", []),
        (True, SOURCE + "x = 1\n", [Vote("id-add.py", True)]),
    ],
)
def test_only_what_was_read_and_used_is_voted_up(world: World, read: bool, written: str, votes: list[Vote]) -> None:
    world.prompt()
    if read:
        world.tool("Read", file_path=world.cached())
    world.write("mine.py", written)
    world.on("Stop")
    assert world.reports[0].votes == votes


@pytest.mark.parametrize(
    ("command", "failed", "votes"),
    [
        ("python3 {0}", False, [Vote("id-add.py", True)]),
        ("python3 {0}", True, [Vote("id-add.py", False)]),
        ("cd / && python3 {0} 2>&1", True, [Vote("id-add.py", False)]),
        ("X=1 timeout 5 python3 '{0}' > out.txt", True, [Vote("id-add.py", False)]),
        ("python3 {0} | head", True, []),
        ("python3 {0}; true", False, []),
        ("make && python3 {0}", True, []),
        ("python3 {0} && false", False, [Vote("id-add.py", True)]),
        ("cat {0}", True, []),
        ("grep 'a; python3' {0}", True, []),
    ],
)
def test_what_a_command_ran_is_voted_on_as_it_ended(
    world: World, command: str, failed: bool, votes: list[Vote]
) -> None:
    world.prompt()
    world.tool("Bash", failed="Exit code 1" if failed else None, command=command.format(world.cached()))
    world.on("Stop")
    assert world.reports[0].votes == votes


def test_the_last_run_counts_and_a_stopped_one_does_not(world: World) -> None:
    world.prompt()
    world.tool("Bash", failed="Exit code 1", command=f"python3 {world.cached()}")
    world.tool("Bash", command=f"python3 {world.cached()}")
    given = {"command": f"python3 {world.cached()}"}
    world.on("PostToolUseFailure", tool_name="Bash", tool_input=given, error="stopped", is_interrupt=True)
    world.on("Stop")
    assert world.reports[0].votes == [Vote("id-add.py", True)]


def test_an_unchanged_copy_is_the_snippet(world: World) -> None:
    world.prompt()
    world.tool("Read", file_path=world.cached())
    world.write("copy.py", SOURCE)
    world.tool("Bash", failed="Exit code 1", command="python3 copy.py")
    world.on("Stop")
    [report] = world.reports
    assert (report.uploaded, report.votes) == ([], [Vote("id-add.py", False)])


def test_a_failure_sends_nothing_and_the_next_success_takes_it_up(world: World) -> None:
    world.prompt()
    world.write("half.py", "print('one half of the work')\n")
    world.on("StopFailure", error="rate_limit")
    assert world.names() == ["search"]
    world.prompt("go on")
    world.on("Stop")
    [report] = world.reports
    assert (report.uploaded, report.task) == (["half.py"], f"{TASK}\ngo on")


@pytest.mark.parametrize(("worked", "uploaded"), [(True, [["done.py"]]), (False, [])])
def test_when_the_result_decides_the_end_of_a_turn_sends_nothing(
    tmp_path: Path, worked: bool, uploaded: list[list[str]]
) -> None:
    world = World(Path(os.path.realpath(tmp_path)), AsyncCairn, "result")
    world.prompt()
    world.write("done.py", "print('all of the work')\n")
    world.on("Stop")
    assert world.names() == ["search"]
    anyio.run(world.observer.result, "s1", worked)
    assert [report.uploaded for report in world.reports] == uploaded
    world.observer.close()


@pytest.mark.parametrize("status", [401, 503])
def test_a_dead_service_never_breaks_the_session_and_is_warned_of_once(
    world: World, status: int, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    world.status = status
    with caplog.at_level(logging.WARNING):
        assert world.prompt() == ""
        for number in range(3):
            world.write(f"{number}.py", f"print('number {number}')\n")
        assert world.on("Stop") == {}
        world.prompt("again")
    assert [record.levelname for record in caplog.records if record.name == "cairn_client.agent"] == ["WARNING"]
    assert "the session goes on without" in caplog.text
    assert TASK not in caplog.text
    assert capsys.readouterr().out == ""
    assert world.reports[0].uploaded == []
    # one that does not answer is not asked for each file
    assert world.names().count("execution-result") == (1 if status == 503 else 3)


@pytest.mark.parametrize(
    "event",
    ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "StopFailure"],
)
def test_an_event_that_nobody_understands_is_survived(world: World, event: str) -> None:
    for given in ({}, {"session_id": "s1"}, {"session_id": "s1", "cwd": 3, "tool_name": "Bash", "tool_input": 4}):

        async def run(given: dict[str, Any] = given) -> dict[str, Any]:
            return await world.hooks[event][1](given, None, {})

        assert anyio.run(run) == {}


def test_a_report_that_fails_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: SessionReport) -> None:
        raise RuntimeError("no")

    world = World(tmp_path, Cairn, on_report=fail)
    world.prompt()
    assert world.on("Stop") == {}
    assert len(caplog.records) == 1


def test_the_sdk_is_loaded_with_the_first_session_only() -> None:
    program = "import sys, cairn_client.agent; sys.exit('claude_agent_sdk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("use", ["CairnAgent()", "cairn_hooks(Cairn('k'))"])
def test_without_the_sdk_an_error_says_how_to_get_it(tmp_path: Path, use: str) -> None:
    missing = tmp_path / "claude_agent_sdk.py"
    missing.write_text("raise ModuleNotFoundError('No module named claude_agent_sdk')")
    program = f"from cairn_client import Cairn; from cairn_client.agent import CairnAgent, cairn_hooks; {use}"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert "pip install 'cairn-client[agent]'" in done.stderr
