"""What `import cairn_client` brings along."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["asyncio", "trio", "claude_agent_sdk", "mcp", "cairn_client.agent", "cairn_client.compat", "pydantic.v1"]

PROGRAM = f"""
import sys, cairn_client
client = cairn_client.Cairn("k")
print([name for name in {HEAVY} if name in sys.modules])
client.close()
"""


def test_nothing_is_imported_that_only_some_need() -> None:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
