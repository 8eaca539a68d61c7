"""The synchronous clients are those that the asynchronous ones give."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cairn_client import AsyncCairn, Cairn
from cairn_client.compat import AsyncRaySurfer, RaySurfer

SCRIPT = Path(__file__).parent.parent / "scripts" / "generate_sync.py"


def test_the_generated_client_is_current() -> None:
    run = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.parametrize(("asynchronous", "sync"), [(AsyncCairn, Cairn), (AsyncRaySurfer, RaySurfer)])
def test_both_have_the_same_methods(asynchronous: type, sync: type) -> None:
    def methods(client: type) -> dict[str, str]:
        public = {name: getattr(client, name) for name in dir(client) if not name.startswith("_")}
        return {
            name: re.sub(r"Async(?=[A-Z])", "", str(inspect.signature(method))).replace("_async", "_sync")
            for name, method in public.items()
            if callable(method)
        }

    assert methods(asynchronous) == methods(sync)
    assert len(methods(sync)) >= 8


def test_nothing_asynchronous_is_left() -> None:
    for folder in (SCRIPT.parent.parent / "src" / "cairn_client").rglob("_sync"):
        for file in folder.glob("*.py"):
            text = "\n".join(file.read_text("utf-8").splitlines()[1:])
            assert not re.search(r"\b(async|await|anyio|asyncio)\b|Async|_async", text), file
