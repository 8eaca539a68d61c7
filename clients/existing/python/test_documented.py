"""The programs of the published package's own page, with the key and the base URL of a service: on it, and on ours."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from here import Here, source

if TYPE_CHECKING:
    from pathlib import Path

RUN = (
    "Complete Example with Anthropic API",
    "Store a Code Block with Full Metadata",
    "Retrieve Few-Shot Examples",
    "Retrieve Task Patterns",
    "User-Provided Votes",
    # those two make clients that the others would use: after them
    "Async Version",
    "Client Options",
    "Exceptions",
    "Agent-Accessible Functions",
    "Convert to Anthropic Tool Format",
    "Org/Workspace Scoping",
)
NOT_RUN = {
    "Claude Agent SDK Drop-in": "sessions: test_session.py",
    "Full Example": "sessions: test_session.py",
    "Snippet Retrieval Scope": "the published class does not take what its page says",
    "Public Snippets": "sessions: test_session.py",
    "Programmatic Tool Calling": "the service does not run code that calls back into its client",
    "Execute Options": "the service does not run code that calls back into its client",
}


def programs() -> dict[str, str]:
    """The Python of each heading."""
    page = importlib.metadata.metadata("raysurfer").get_payload()
    found: dict[str, str] = {}
    for part in re.split(r"^#{2,} ", str(page), flags=re.MULTILINE)[1:]:
        blocks = re.findall(r"^```python\n(.*?)^```", part, flags=re.MULTILINE | re.DOTALL)
        if blocks:
            found[part.splitlines()[0]] = "\n".join(blocks)
    return found


def test_each_program_of_the_page_is_run_or_not_for_a_reason() -> None:
    assert set(programs()) == {*RUN, *NOT_RUN}


def on(program: str, here: Here) -> str:
    """What a user changes: the key, the base URL, and for ours the import."""
    program = re.sub(r'\n *base_url="[^"]*",.*', "", program)
    program = re.sub(r'api_key="[^"]*"', f"api_key={here.service.key!r}, base_url={here.service.base_url!r}", program)
    return program.replace("from raysurfer", f"from {here.library.__name__}")


# the page says itself what is asynchronous
@pytest.mark.parametrize("way", ["raysurfer sync", "cairn_client.compat sync"])
def test_the_page(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the first program imports it, and has no use for it
    monkeypatch.setitem(sys.modules, "anthropic", ModuleType("anthropic"))
    # it votes on the first match of a search that it begins with
    here.client.upload("Fetch GitHub trending repos", here.file(), user_vote=1)
    made = here.library.FileWritten
    scope: dict[str, Any] = {
        # what the page leaves to its reader
        "files": [made(path="app.py", content=source("app")), made(path="utils.py", content=source("utils"))]
    }
    for heading in RUN:
        file = tmp_path / f"{re.sub('[^a-z]', '_', heading.lower())}.py"
        file.write_text(on(programs()[heading], here))
        code = compile(file.read_text(), str(file), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            here.loop.run_until_complete(eval(code, scope))
        else:
            exec(code, scope)
    assert scope["result"].code_blocks
    assert {"fetch", "cli"} & {match.code_block.name for match in here.client.search("fetch repos", 50).matches}
    assert [example.code_snippet for example in scope["examples"]]
    assert all(pattern.thumbs_up >= 5 for pattern in scope["patterns"])
    assert scope["tool_def"]["name"] == "fetch_user"
    assert scope["tool_def"]["input_schema"]["required"] == ["username"]
