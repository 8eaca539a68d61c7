"""Chat, functions for agents, and the client itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from methods.registry import shows

if TYPE_CHECKING:
    from here import Here


@shows("chat")
def chat(here: Here) -> None:
    here.stored()
    answer = here.client.chat(here.task, user=here.word, org="acme", model="local", max_turns=4)
    assert (answer.success, answer.error) == (True, "")
    assert answer.output
    assert answer.session_id
    assert answer.duration_ms >= 0
    assert (answer.changed_files, answer.workspace_files) == ([f"{here.word}.py"], [f"{here.word}.py"])
    again = here.client.chat("zzzz qqqq", user=here.word, org="acme", model="local")
    # the same pair, the same workspace
    assert again.workspace_files == [f"{here.word}.py"]
    other = here.client.chat("zzzz qqqq", user=here.word, org="other", model="local")
    assert other.workspace_files == []
    assert (other.success, other.error != "") == (False, True)


@shows("publish_function_registry")
def registry(here: Here) -> None:
    def rows(path: str, header: bool = False) -> list:
        """Reads rows.

        Args:
            path: Where the file is.
        """
        return [path, header]

    marked = here.library.agent_accessible(name=here.word)(rows)
    assert here.library.to_anthropic_tool(marked) == {
        "name": here.word,
        "description": here.library.to_anthropic_tool(marked)["description"],
        "input_schema": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where the file is."},
                "header": {"type": "boolean"},
            },
            "required": ["path"],
        },
    }
    assert len(here.client.publish_function_registry([marked, print])) == 1
    found = [match.code_block for match in here.client.search(f"Call {here.word}", 50, 0.0).matches]
    tags = [block.tags for block in found if '"""Reads rows.' in block.source]
    assert tags
    assert all(one == ["function_registry", "agent_accessible"] for one in tags)


@shows("close")
def close(here: Here) -> None:
    client = here.client_with()
    client.search("anything")
    client.close()
    client.close()
