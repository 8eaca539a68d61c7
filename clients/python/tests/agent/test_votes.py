"""Which snippets a session votes on, and how: on both clients, without the agent SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cairn_client.agent import Vote
from tests.agent.hooked import SOURCE, TASK, World, match

OTHER = "print('something else')\n"
UP, DOWN = Vote("id-add.py", True), Vote("id-add.py", False)
RUN = "python3 {0}"
FAILED = "Exit code 1\nTraceback"


@pytest.mark.parametrize(
    ("read", "written", "votes"),
    [
        (False, SOURCE + "x = 1\n", []),
        (True, "print('something else altogether')\n", []),
        (True, SOURCE + "x = 1\n", [UP]),
    ],
)
def test_only_what_was_read_and_used_is_voted_up(world: World, read: bool, written: str, votes: list[Vote]) -> None:
    world.prompt()
    if read:
        world.tool("Read", file_path=world.cached())
    world.write("mine.py", written)
    assert world.stop().votes == votes


@pytest.mark.parametrize("command", ["cat {0}", "cd {1} && cp add.py ./x"])
def test_what_a_command_printed_or_copied_was_read(world: World, command: str) -> None:
    world.prompt()
    world.bash(command.format(world.cached(), Path(world.cached()).parent))
    world.write("mine.py", SOURCE + "x = 1\n")
    assert world.stop().votes == [UP]


def test_what_could_not_be_read_was_not_used(world: World) -> None:
    world.prompt()
    world.tool("Read", failed="denied", file_path=world.cached())
    world.write("mine.py", SOURCE + "x = 1\n")
    assert world.stop().votes == []


@pytest.mark.parametrize(
    ("command", "failed", "votes"),
    [
        (RUN, False, [UP]),
        (RUN, True, [DOWN]),
        ("cd / && python3 {0} 2>&1", True, [DOWN]),
        ("X=1 timeout 5 python3 '{0}' > out.txt", True, [DOWN]),
        ("python3 {0} && false", False, [UP]),
        ("python3 {0};", False, [UP]),
        ("python3 {0} | head", True, []),
        ("python3 {0} | head", False, []),
        ("python3 {0}; true", False, []),
        ("python3 {0} || true", False, []),
        ("test -f x || python3 {0}", False, []),
        ("! python3 {0}", False, []),
        ("if python3 {0}; then echo; fi", False, []),
        ('echo "$(python3 {0})"', False, []),
        ("python3 {0} &", False, []),
        ("make && python3 {0}", True, []),
        ("cat missing && python3 {0}", True, []),
        ("cat {0}", True, []),
        ("ruff check {0}", True, []),
        ("python3 -m py_compile {0}", True, []),
        ("python3 tool.py {0}", True, []),
        ("cat > x.sh <<'EOF'\ntrue && python3 {0}\nEOF", False, []),
        ("grep 'a; python3' {0}", True, []),
    ],
)
def test_what_a_command_ran_is_voted_on_as_it_ended(
    world: World, command: str, failed: bool, votes: list[Vote]
) -> None:
    world.prompt()
    world.bash(command.format(world.cached()), FAILED if failed else None)
    assert world.stop().votes == votes


@pytest.mark.parametrize(
    ("failed", "event"),
    [
        (FAILED, {"is_interrupt": True}),
        ("Exit code 143\nCommand timed out after 1s", {}),
        ("Exit code 127\npython3: command not found", {}),
        ("Exit code 126\nPermission denied", {}),
        ("Exit code 130", {}),
        ("Exit code 137\nKilled", {}),
        ("Exit code 124", {}),
        ("The tool was not there", {}),
        (None, {"tool_response": {"stdout": "", "backgroundTaskId": "b1"}}),
        (None, {"tool_response": {"stdout": "", "interrupted": True}}),
    ],
)
def test_an_end_that_says_nothing_of_the_program_is_no_vote(
    world: World, failed: str | None, event: dict[str, Any]
) -> None:
    world.prompt()
    world.bash(RUN.format(world.cached()), failed, **event)
    world.tool("Bash", command=RUN.format(world.cached()), run_in_background=True)
    assert world.stop().votes == []


def test_the_last_run_counts(world: World) -> None:
    world.matches.append(match("b.py", OTHER))
    world.prompt()
    world.bash(RUN.format(world.cached()), FAILED)
    world.bash(f"cd {Path(world.cached()).parent} && python3 ./b.py", FAILED)
    world.bash(RUN.format(world.cached()))
    assert world.stop().votes == [UP, Vote("id-b.py", False)]


def test_an_unchanged_copy_is_the_snippet(world: World) -> None:
    world.prompt()
    world.tool("Read", file_path=world.cached())
    world.write("sub/copy.py", SOURCE)
    # the event has the folder that the command left behind
    world.bash("cd sub && python3 ./copy.py", FAILED, cwd=str(world.folder / "sub"))
    report = world.stop()
    assert (report.uploaded, report.votes) == ([], [DOWN])


def test_a_session_has_one_vote_on_a_snippet(world: World) -> None:
    world.prompt()
    world.tool("Read", file_path=world.cached())
    world.write("mine.py", SOURCE + "x = 1\n")
    assert world.stop().votes == [UP]
    world.prompt("and again")
    world.write("mine.py", SOURCE + "x = 2\n")
    world.bash(RUN.format(world.cached()), FAILED)
    assert world.stop().votes == []


def test_a_snippet_that_took_the_name_of_the_one_that_was_read_was_not(world: World) -> None:
    world.prompt()
    world.tool("Read", file_path=world.cached())
    world.matches = [match("add.py", f"{SOURCE}# newer\n", id="another")]
    world.prompt("something else")
    world.write("mine.py", SOURCE + "x = 1\n")
    assert world.stop().votes == []


def test_a_vote_says_what_it_is_for_and_that_an_agent_gives_it(world: World) -> None:
    world.prompt()
    world.bash(RUN.format(world.cached()))
    world.on("Stop")
    name, vote = world.sent[-1]
    assert name == "cache-usage"
    assert (vote["task"], vote["code_block_name"], vote["succeeded"]) == (TASK, "add.py", True)
    assert vote["vote_source"] == "ai"


@pytest.mark.parametrize("end", ["# mine\n", "\n"])
def test_a_run_of_a_snippet_that_was_changed_says_nothing_of_the_snippet(world: World, end: str) -> None:
    world.prompt()
    world.write(world.cached(), SOURCE + end)
    world.bash(RUN.format(world.cached()), FAILED)
    world.bash(RUN.format(world.cached()))
    assert world.stop().votes == []


def test_a_run_before_the_change_does(world: World) -> None:
    world.prompt()
    world.bash(RUN.format(world.cached()), FAILED)
    world.write(world.cached(), SOURCE + "# mine\n")
    world.bash(RUN.format(world.cached()))
    assert world.stop().votes == [DOWN]


def test_what_was_read_of_a_changed_snippet_was_not_the_snippet(world: World) -> None:
    world.prompt()
    world.write(world.cached(), SOURCE + "# mine\n")
    world.tool("Read", file_path=world.cached())
    world.bash(f"cat {world.cached()}")
    world.write("mine.py", SOURCE + "x = 1\n")
    assert world.stop().votes == []


def test_a_snippet_that_is_offered_again_beside_its_changed_file_has_one_vote(world: World) -> None:
    world.prompt()
    world.write(world.cached(), SOURCE + "# mine\n")
    world.prompt("again")
    world.bash(RUN.format(world.cached("add-2.py")))
    assert world.stop().votes == [UP]
    assert world.names().count("cache-usage") == 1
