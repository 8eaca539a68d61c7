"""Decorated functions: each call is recorded; and what functions say of their values reaches their reputation."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from here import Blocking

if TYPE_CHECKING:
    from pathlib import Path

    from here import Here

DEADLINE = 60


def recorded(here: Here, code: str, number: int) -> list[Any]:
    """The runs of a piece of code, once there are so many: they are told of on the side."""
    end = time.monotonic() + DEADLINE
    while len(runs := here.client.get_executions(code).executions) < number:
        assert time.monotonic() < end, runs
        time.sleep(0.05)
    return runs


FUNCTION = """\
from {library} import agent_accessible

@agent_accessible("Divides.")
def {word}(a: int, b: int = 1) -> float:
    return a / b
"""


def test_calls_are_recorded(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library, name = here.library, here.word
    (tmp_path / f"tools_{name}.py").write_text(FUNCTION.format(library=library.__name__, word=name))
    monkeypatch.syspath_prepend(tmp_path)
    divide = getattr(importlib.import_module(f"tools_{name}"), name)

    def calls() -> None:
        assert divide(6, b=2) == 3
        with pytest.raises(ZeroDivisionError):
            divide(1, b=0)

    async def used() -> list[str]:
        published = await library.publish_function_registry(inner(here), [divide, print])
        calls()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
        return published

    if here.kind == "sync":
        published = here.client.publish_function_registry([divide, print])
        calls()
    else:
        published = here.loop.run_until_complete(used())
    assert published == [name]
    runs = {run.execution_state.value: run for run in recorded(here, name, 2)}
    done, failed = runs["completed"], runs["errored"]
    assert (done.io.input_data, done.io.output_data) == ({"args": [6], "kwargs": {"b": 2}}, 3)
    assert (done.triggering_task, done.duration_ms >= 0) == (f"agent_accessible:{name}", True)
    assert (failed.error_message, failed.io.output_data) == ("division by zero", {"error": "division by zero"})


def inner(here: Here) -> Any:
    return here.client.inner if isinstance(here.client, Blocking) else here.client


def test_calls_of_asynchronous_functions_are_recorded(here: Here) -> None:
    library = here.library

    @library.agent_accessible(name=here.word)
    async def double(number: int) -> int:
        """Doubles."""
        return 2 * number

    importlib.import_module(f"{library.__name__}.accessible").set_tracking_client(double, inner(here))
    assert here.loop.run_until_complete(double(number=21)) == 42
    # it was never published: its runs are kept under this name
    [run] = recorded(here, f"function_registry:{here.word}", 1)
    assert (run.io.output_data, run.execution_state.value) == (42, "completed")


def test_tools(here: Here) -> None:
    library = here.library

    @library.agent_accessible()
    def fetch(username: str, repos: bool = False, limit: int | None = None, tags: list = []) -> dict:  # noqa: B006
        """Fetch a user.

        Args:
            username: Who it is.
            limit (int): The most.
        """
        return {}

    tool = library.to_anthropic_tool(fetch)
    assert (tool["name"], tool["description"].splitlines()[0]) == ("fetch", "Fetch a user.")
    schema = tool["input_schema"]
    assert (schema["type"], schema["required"]) == ("object", ["username"])
    properties = {name: (one["type"], one.get("description")) for name, one in schema["properties"].items()}
    assert properties == {
        "username": ("string", "Who it is."),
        "repos": ("boolean", None),
        "limit": ("integer", "The most."),
        "tags": ("array", None),
    }
    with pytest.raises(ValueError, match="print"):
        library.to_anthropic_tool(print)


PROGRAM = """\
from {library} import log

def {word}(path):
    log([path])
    log([])
    return [path]

{word}("a.csv")
"""


def test_what_functions_log(here: Here, tmp_path: Path) -> None:
    program = tmp_path / f"{here.word}.py"
    program.write_text(PROGRAM.format(library=here.library.__name__, word=here.word))
    printed = subprocess.run([sys.executable, str(program)], check=True, capture_output=True, text=True).stdout
    assert "RAYSURFER_TELEMETRY_START" in printed
    file = here.library.FileWritten(path=str(program), content=program.read_text())
    here.client.upload(here.task, file, execution_logs=printed, per_function_reputation=True)
    [function] = here.client.search(here.task, per_function_reputation=True).matches[0].functions
    assert (function.function_name, function.total_logged_calls) == (here.word, 2)
    assert (function.output_completeness, function.avg_output_size) == (0.5, 0.5)


def test_functions_by_a_file_of_rules(theirs: Here, tmp_path: Path) -> None:
    """`load_config` of the published package marks what a file names; publishing it is a call to the service."""
    (tmp_path / "raysurfer.yaml").write_text(
        "agent_access:\n  call:\n    - 'tools.py:*'\n  deny:\n    - 'tools.py:hidden'\n"
    )
    source = f'def {theirs.word}(a: int) -> int:\n    """Adds."""\n    return a + 1\n\n\ndef hidden() -> None: ...\n'
    (tmp_path / "tools.py").write_text(source)
    scope: dict[str, Any] = {}
    exec(compile(source, str(tmp_path / "tools.py"), "exec"), scope)
    module = SimpleNamespace(**{name: scope[name] for name in (theirs.word, "hidden")})
    [function] = theirs.library.load_config(str(tmp_path / "raysurfer.yaml"), [module])
    assert theirs.client.publish_function_registry([function]) == [theirs.word]
    assert theirs.client.search(f"Call {theirs.word}: Adds.").matches[0].code_block.name == theirs.word
