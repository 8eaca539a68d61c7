"""What must not leave the machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cairn_client import Cairn
from cairn_client.agent._screen import has_secret, has_secret_name, redacted, secrets_of, storable
from tests.agent.cases import CASES, written_out
from tests.agent.hooked import World


@pytest.mark.parametrize("text", [*map(written_out, CASES["secrets"])])
def test_a_secret_is_told(text: str) -> None:
    assert has_secret(f"before\n{text}\nafter")
    assert has_secret(f"x = 1\r\n{text}\r\ny = 2")


@pytest.mark.parametrize("text", CASES["noSecrets"])
def test_what_is_none_is_not(text: str) -> None:
    assert redacted(f"before\n{text}\nafter") == f"before\n{text}\nafter"


def test_files_are_told_by_their_names() -> None:
    assert [name for name in CASES["secretFiles"] if not has_secret_name(name)] == []
    assert [name for name in CASES["plainFiles"] if has_secret_name(name)] == []


def test_values_are_told_by_their_variables_names_longer_ones_first() -> None:
    known = secrets_of(
        {
            "A_TOKEN": "long-enough-value",
            "B_KEY": "long-enough-value-and-more",
            "C_SECRET": "short",
            "PATH": "/a/long/path/of/it",
            "SSH_KEY": "/home/ada/.ssh/id",
        }
    )
    assert known == ("long-enough-value-and-more", "long-enough-value")
    assert redacted("x long-enough-value-and-more y", known) == "x *** y"


@pytest.mark.parametrize("piece", CASES["slow"])
def test_a_text_that_was_made_to_be_slow_is_looked_through_like_others(piece: str) -> None:
    assert has_secret(piece * (262_144 // len(piece))) in (True, False)


def test_what_a_service_does_not_take_is_left_out() -> None:
    assert storable("a\0b \ud83d c \U0001f600") == "ab \ufffd c \U0001f600"


def test_a_session_sends_none_in_searches_files_logs_and_tasks(tmp_path: Path) -> None:
    secret = "a-very-secret-value"
    world = World(Path(os.path.realpath(tmp_path)), Cairn, env={"MY_TOKEN": secret})
    world.prompt(f"use ghp_{'a' * 36} and {secret} for it")
    world.write("fine.py", "password = 'your-password-here'\nprint('fine')\n")
    world.write("bad.py", f"print('{secret}')\n")
    world.write("worse.py", "db_password = 'correct-horse'\n")
    world.tool("Bash", command=f"curl -H 'Authorization: Bearer {secret}' x", response=f"{secret} AKIA0123456789ABCDEF")
    report = world.stop()
    assert report.uploaded == ["fine.py"]
    assert [(left.path, left.reason) for left in report.left] == [("bad.py", "secret"), ("worse.py", "secret")]
    assert world.sent[0][1]["task"] == "use *** and *** for it"
    assert world.uploads()[0]["task"] == "use *** and *** for it"
    sent = json.dumps(world.sent)
    assert "***" in sent
    assert [hidden for hidden in (secret, "ghp_a", "AKIA", "correct-horse") if hidden in sent] == []
