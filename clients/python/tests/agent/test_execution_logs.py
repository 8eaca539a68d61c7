"""What tools printed, as it is sent with files: without the agent SDK."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cairn_client import Cairn
from tests.agent.hooked import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(Path(os.path.realpath(tmp_path)), Cairn, env={"MY_API_KEY": "correct-horse-battery-staple"})
    made.prompt()
    return made


def logs(world: World) -> dict[str, str]:
    world.on("Stop")
    return {body["file_written"]["path"]: body.get("execution_logs") or "" for body in world.uploads()}


def printed(world: World, command: str, stdout: str, stderr: str = "") -> None:
    world.tool("Bash", response={"stdout": stdout, "stderr": stderr}, command=command)


def test_each_file_has_what_names_it_and_what_names_none(world: World) -> None:
    world.write("one.py", "print('one')\n")
    world.write("lib/two.py", "print('two')\n")
    printed(world, "python3 one.py", "one is printed", "and complains")
    world.bash("python3 ./lib/two.py", "Exit code 1\ntwo fails")
    printed(world, "pytest", "lib/two.py::test PASSED")
    printed(world, "make test", "all fine")
    world.tool("Read", response={"file": {"content": "the host"}}, file_path="/etc/hostname")
    world.tool("mcp__x__y", response=[{"type": "text", "text": "of a server"}])
    found = logs(world)
    assert found["one.py"].split("\n") == [
        f"[Write] {world.folder}/one.py",
        *("$ python3 one.py", "one is printed", "and complains", "$ make test", "all fine", "[Read] /etc/hostname"),
        *("[mcp__x__y]", '[{"type":"text","text":"of a server"}]'),
    ]
    assert "failed: Exit code 1\ntwo fails" in found["lib/two.py"]
    assert "$ pytest\nlib/two.py::test PASSED" in found["lib/two.py"]
    assert "all fine" in found["lib/two.py"]
    assert "one is printed" not in found["lib/two.py"]


def test_they_are_the_end_of_what_was_printed_of_each_and_of_all(world: World) -> None:
    for number in range(100):
        world.bash(f"step {number}")
        printed(world, "loud", f"begin {'x' * 9_000} end {number}")
    world.write("a.py", "print('a')\n")
    found = logs(world)["a.py"]
    assert 20_000 < len(found) <= 32_000
    assert "end 99\n" in found
    assert "step 99" in found
    assert "begin" not in found
    assert "end 1\n" not in found


def test_they_are_text_that_a_service_takes(world: World) -> None:
    printed(world, "binary", f"a\0b {chr(0x1F600) * 5_000}x")
    printed(world, "half", "a half \ud83d of one")
    world.write("a.py", "print('a')\n")
    found = logs(world)["a.py"]
    found.encode()
    assert "\0" not in found
    assert "\U0001f600x" in found


def test_they_hold_no_secrets_whole_or_cut(world: World) -> None:
    secret = "correct-horse-battery-staple"
    key = ["-----BEGIN PRIVATE KEY-----", *(letter * 64 for letter in "abcdefghij"), "-----END PRIVATE KEY-----"]
    world.bash(f"curl -H 'Authorization: Bearer {secret}' x", f"MY_API_KEY={secret}")
    # its beginning is beyond what is kept
    printed(world, "print", f"{'x' * 5_000} ghp_{'g' * 36}{' y' * 1_985}")
    printed(world, "cat key.pem", "\n".join(["before", *key, "after"]))
    printed(world, "env", "HOME=/home/ada\nDB_PASSWORD=letters-only\nPATH=/bin")
    world.write("a.py", "print('a')\n")
    found = logs(world)["a.py"]
    assert [hidden for hidden in (secret, "gggg", "BEGIN", "aaaa", "jjjj", "letters-only") if hidden in found] == []
    for shown in ("MY_API_KEY=***", "before\n***\nafter", "HOME=/home/ada", "DB_PASSWORD=***"):
        assert shown in found
