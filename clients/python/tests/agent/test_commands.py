"""What is read of a session's commands."""

from __future__ import annotations

from typing import Any

import pytest

from cairn_client.agent._commands import files_named, files_run, only_git
from cairn_client.agent._events import end_of
from tests.agent.cases import CASES

COMMANDS = CASES["commands"]


def run(command: str, succeeded: bool) -> list[tuple[str, bool]]:
    return [(path, ended) for path, ended in files_run(command, "/home/ada", succeeded)]


@pytest.mark.parametrize("command", COMMANDS["always"])
def test_what_it_runs_is_known_however_it_ends(command: str) -> None:
    path = COMMANDS["alwaysRuns"]
    assert (run(command, True), run(command, False)) == ([(path, True)], [(path, False)])


@pytest.mark.parametrize(("command", "paths"), COMMANDS["worked"])
def test_what_it_runs_is_known_when_it_worked(command: str, paths: list[str]) -> None:
    assert (run(command, True), run(command, False)) == ([(path, True) for path in paths], [])


@pytest.mark.parametrize("command", COMMANDS["never"])
def test_what_it_runs_is_not_known(command: str) -> None:
    assert (run(command, True), run(command, False)) == ([], [])


@pytest.mark.parametrize(("command", "paths"), COMMANDS["names"])
def test_it_names_files(command: str, paths: list[str]) -> None:
    assert files_named(command, "/home/ada") == paths


def test_it_may_only_fetch_what_others_wrote() -> None:
    assert [only_git(command) for command in COMMANDS["onlyGit"]] == [True] * len(COMMANDS["onlyGit"])
    assert [only_git(command) for command in COMMANDS["notOnlyGit"]] == [False] * len(COMMANDS["notOnlyGit"])


@pytest.mark.parametrize(("succeeded", "event", "end"), CASES["ends"])
def test_how_it_ended(succeeded: bool, event: dict[str, Any], end: str) -> None:
    assert end_of(event, succeeded) == end
