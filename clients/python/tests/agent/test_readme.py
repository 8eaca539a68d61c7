"""The README's sessions run as they stand: the real agent SDK, a stand-in of the model, the real service."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cairn_client import Cairn
from tests.agent.stand_in import KEY, calls, model

if TYPE_CHECKING:
    from tests.service import Service

pytest.importorskip("claude_agent_sdk", reason="the agent SDK is not installed (pip install claude-agent-sdk)")

README = Path(__file__).parents[2] / "README.md"

RUN = """
import asyncio
from cairn_client import Cairn
asyncio.run(session())
asyncio.run(one_prompt())
with Cairn() as client:
    assert options_of_my_own().hooks
"""


def test_the_sessions_of_the_readme(service: Service, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.M | re.S)
    sessions = [block for block in blocks if "async for message in" in block]
    assert len(sessions) == 2
    folder, home = tmp_path / "work", tmp_path / "home"
    for made in (folder, home):
        made.mkdir()
    wrote = calls("Write", file_path=str(folder / "words.py"), content="def words(text):\n    return text.split()\n")
    with model(wrote) as api:
        environment = {
            **os.environ,
            "CAIRN_API_KEY": service.key,
            "CAIRN_BASE_URL": service.base_url,
            "HOME": str(home),
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        }
        program = [sys.executable, "-c", "\n".join([*sessions, RUN])]
        done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"^ResultMessage\(subtype='success'.*?is_error=(\w+)", done.stdout, re.M) == ["False"] * 3
    with Cairn(service.key, service.base_url, workspace_id="customer-1", snips_desired="client") as client:
        assert "words.py" in [match.filename for match in client.search("Count the words of notes.txt").matches]
