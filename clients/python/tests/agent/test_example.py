"""The example of an agent session runs as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cairn_client import Cairn
from tests.agent.stand_in import KEY, Body, Reply, calls, model, offered_path, shown
from tests.long import at_night

if TYPE_CHECKING:
    from tests.service import Service

pytest.importorskip("claude_agent_sdk", reason="the agent SDK is not installed (pip install claude-agent-sdk)")

EXAMPLE = Path(__file__).parents[2] / "examples" / "agent_session.py"
SOURCE = "import sys\n\nprint(len(open(sys.argv[1], encoding='utf-8').read().split()))\n"


def run(service: Service, url: str, folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CAIRN_", "ANTHROPIC_"))}
    environment = {
        **kept,
        "CAIRN_API_KEY": service.key,
        "CAIRN_BASE_URL": service.base_url,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        "HOME": str(folder),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
    }
    program = [sys.executable, "-W", "error", str(EXAMPLE), str(folder / "work")]
    return subprocess.run(program, env=environment, capture_output=True, text=True, check=False, timeout=300)


def test_what_the_first_session_writes_is_used_by_the_second(service: Service, tmp_path: Path) -> None:
    work = Path(os.path.realpath(tmp_path)) / "work"

    def turn(body: Body) -> Reply:
        if "notes.txt have?" not in shown(body):
            return calls("Write", file_path=str(work / "session-1" / "count_words.py"), content=SOURCE)
        return calls("Bash", command=f"python3 {offered_path(body, 'count_words.py')} notes.txt")

    with model(turn) as api:
        done = run(service, api.url, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert said[0].startswith("> Write count_words.py")
    assert said[1:3] == ["  Write", "  Done."]
    assert said[3].endswith("uploaded ['count_words.py']")
    assert said[4] == "> How many words does notes.txt have?"
    assert said[5:7] == ["  Bash", "  Done."]
    assert said[7].endswith("uploaded []")
    assert said[8:] == ["  voted up"]
    with Cairn(service.key, service.base_url) as client:
        found: Any = next(
            match
            for match in client.search("prints how many words a text file has", 50, 0.0).matches
            if match.code_block.source == SOURCE
        )
    assert found.thumbs_up == 1


@at_night
def test_a_model_that_fails_ends_it(service: Service, tmp_path: Path) -> None:
    with model({"status": 401}) as api:
        done = run(service, api.url, tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("failed: ")
    assert done.stdout.splitlines()[0].startswith("> Write count_words.py")
    assert "uploaded" not in done.stdout
