"""The README and the examples run as they stand. Installing by it has a test of its own (`test_install.py`)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import cairn_client
from cairn_client import AsyncCairn, Cairn

if TYPE_CHECKING:
    from tests.service import Service

FOLDER = Path(__file__).parent.parent
README = (FOLDER / "README.md").read_text("utf-8")


def run(program: list[str], service: Service, cwd: Path) -> str:
    environment = {**os.environ, "CAIRN_API_KEY": service.key, "CAIRN_BASE_URL": service.base_url}
    done = subprocess.run(
        [sys.executable, *program], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_readme_runs(service: Service, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S)
    assert len(blocks) > 8
    # what is for a shell is test_install.py's, and there is nothing else
    assert {*re.findall(r"^```(\w*)\n.*?^```$", README, re.M | re.S)} == {"python", "sh"}
    program = tmp_path / "readme.py"
    program.write_text("\n".join(blocks), "utf-8")
    said = run([str(program)], service, tmp_path)
    assert "def add(a, b):" in said
    assert "VoteCast" in said
    assert "task ['is empty; expected what the code should do'" in said
    assert (tmp_path / ".cairn_code" / "word_counts.py").exists()


def test_the_tour_runs(service: Service, tmp_path: Path) -> None:
    said = run([str(FOLDER / "examples" / "tour.py")], service, tmp_path)
    assert "stored: word_counts" in said
    assert "written: ['word_counts.py']" in said
    assert "commit: " in said
    assert "refused: not_found/snippet" in said


def methods(client: Any) -> list[str]:
    return [name for name in dir(client) if not name.startswith("_")]


def test_the_readme_has_every_method_and_error() -> None:
    client = Cairn()
    parts = ("keys", "workspaces", "uploads", "snippets", "system")
    names = {*methods(Cairn), *(f"{part}.{name}" for part in parts for name in methods(getattr(client, part)))}
    client.close()
    # of the parts it is said once
    names = {name for name in names if not name.endswith(".with_raw_response")}
    missing = [name for name in names if not re.search(rf"\b(client|error)?\.?{re.escape(name)}\b", README)]
    assert missing == []
    for name in dir(cairn_client):
        if name.endswith("Error"):
            assert name == "FieldError" or f"`{name}`" in README


@pytest.mark.parametrize("client", [Cairn, AsyncCairn])
def test_every_public_method_has_a_docstring(client: type) -> None:
    for name in methods(client):
        assert getattr(client, name).__doc__, name
