"""What sessions of both client libraries decide alike: one table, which a test in each language reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

_path = Path(__file__).parents[3] / "agentParity.json"
if not _path.exists():
    pytest.skip("only in the repository of the service", allow_module_level=True)
CASES: dict[str, Any] = json.loads(_path.read_text("utf-8"))


def written_out(text: str) -> str:
    """The table writes no secret out: whoever looks for some in a repository would find them."""
    letters = "aB3dE6gH9jK2mN5pQ8sT1vW4" * 20
    text = re.sub(r"<(\d+)>", lambda found: letters[: int(found[1])], text)
    return re.sub(r"<hex (\d+)>", lambda found: "01" * (int(found[1]) // 2), text)
