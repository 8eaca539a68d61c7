"""What `log` prints, and what the service makes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.snippets import unique

if TYPE_CHECKING:
    from cairn_client.compat import RaySurfer


PROGRAM = """
from cairn_client.compat import log
def rows(n):
    for _ in range(n):
        log([1, 2])
    log([])
rows(3)
log(None)
"""


@pytest.fixture(scope="module")
def printed() -> str:
    def run(program: str) -> str:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout

    assert run("import cairn_client, cairn_client.compat") == ""
    return run(PROGRAM)


def test_telemetry_is_printed_when_there_is_some(printed: str, raysurfer: RaySurfer) -> None:
    _, start, rest = printed.partition("--- RAYSURFER_TELEMETRY_START ---\n")
    body, end, _ = rest.partition("\n--- RAYSURFER_TELEMETRY_END ---")
    assert start
    assert end
    assert json.loads(body)["raysurfer_telemetry"]["functions"]["rows"] == {
        "call_count": 4,
        "avg_value_size": 1.5,
        "empty_rate": 0.25,
        "value_types": {"list": 4},
    }
    assert "__module__" in body
    word = unique()
    source = f"def rows(n):\n    '''Counts {word}.'''\n    return [{word!r}] * n\n"
    raysurfer.upload(
        f"count {word}",
        {"path": f"{word}.py", "content": source},  # type: ignore[arg-type]
        execution_logs=printed,
        per_function_reputation=True,
        user_vote=1,
    )
    functions = raysurfer.search(f"count {word}", per_function_reputation=True).matches[0].functions
    assert functions is not None
    assert (functions[0].function_name, functions[0].total_logged_calls) == ("rows", 4)
