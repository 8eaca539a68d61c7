"""What hooks survive: on both clients, without the agent SDK."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from cairn_client import Cairn
from tests.agent.hooked import World

if TYPE_CHECKING:
    from pathlib import Path

    from cairn_client.agent import SessionReport


@pytest.mark.parametrize(
    "event",
    ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "StopFailure", "SessionEnd"],
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


@pytest.mark.parametrize("debug", [True, False])
def test_the_debug_flag_tells_of_what_was_offered_and_delivered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, debug: bool
) -> None:
    log = logging.getLogger("cairn_client.agent")
    before = log.level
    try:
        world = World(tmp_path, Cairn, debug=debug)
        world.prompt()
        world.write("new.py", "print('new')\n")
        assert world.stop().uploaded == ["new.py"]
    finally:
        log.setLevel(before)
    told = ["Session offered 1 snippets", "Session delivered: 1 files uploaded, 0 left, 0 votes"]
    assert [line for line in caplog.messages if line.startswith("Session")] == (told if debug else [])


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
    assert "pip install claude-agent-sdk" in done.stderr
