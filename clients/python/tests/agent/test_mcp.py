"""Sessions of the real agent SDK that have Cairn as an MCP server, over HTTP."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from cairn_client import Cairn
from tests.agent.session.world import session_options
from tests.agent.stand_in import DONE, Body, Model, calls, model
from tests.long import at_night

sdk = pytest.importorskip("claude_agent_sdk", reason="the agent SDK is not installed (pip install claude-agent-sdk)")

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.service import Service

RESOURCES = ["ListMcpResourcesTool", "ReadMcpResourceTool"]
WRONG_KEY = "cairn_live_" + "A" * 43


@dataclass
class Ended:
    """What a session was: how its MCP servers stood, and how it ended."""

    tools: Sequence[str]
    status: dict[str, str]
    failed: bool


def over_http(service: Service, key: str) -> Any:
    return {"type": "http", "url": f"{service.base_url}/mcp", "headers": {"Authorization": f"Bearer {key}"}}


async def session(api: Model, folder: Path, servers: dict[str, Any]) -> Ended:
    given = session_options(api, folder, folder)
    tools = ["Write", *RESOURCES]
    given |= {"tools": tools, "allowed_tools": [*tools, "mcp__cairn"], "mcp_servers": servers}
    async with sdk.ClaudeSDKClient(sdk.ClaudeAgentOptions(**given)) as client:
        await client.query("Count words.")
        messages = [message async for message in client.receive_response()]
        standing = (await client.get_mcp_status())["mcpServers"]
    init = next(message for message in messages if isinstance(message, sdk.SystemMessage) and message.subtype == "init")
    status = {server["name"]: f"{server['status']} {server.get('error', '')}" for server in standing}
    result = messages[-1]
    assert isinstance(result, sdk.ResultMessage)
    return Ended(init.data["tools"], status, result.is_error)


def results(body: Body) -> list[tuple[str, bool]]:
    """What the model was told that its tools said, and whether they failed."""
    found = []
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] != "tool_result":
                continue
            said = block["content"]
            text = said if isinstance(said, str) else "".join(part.get("text", "") for part in said)
            found.append((text, block.get("is_error") is True))
    return found


def test_its_model_stores_finds_and_votes_and_reads_what_the_tools_say(service: Service, tmp_path: Path) -> None:
    name = f"words_{uuid.uuid4().hex[:8]}"
    task = f"{name} of a text"
    source = f"def {name}(text: str) -> int:\n    return len(text.split())\n"

    def votes(body: Body) -> Any:
        found = re.search(rf"## \d+\. {name} .*\ncode_block_id: (.+)", results(body)[-1][0])
        assert found is not None
        return calls("mcp__cairn__vote", code_block_id=found[1], task=task)

    turns: list[Any] = [
        calls("mcp__cairn__upload", task=task, file={"path": f"{name}.py", "content": source}),
        calls("mcp__cairn__search", task=task, min_score=0, top_k=100),
        votes,
        calls("mcp__cairn__vote", code_block_id="nope"),
    ]
    with model(*turns) as api:
        ended = anyio.run(session, api, tmp_path, {"cairn": over_http(service, service.key)})
        stored, found, voted, refused = results(api.requests[-1])
    assert not ended.failed
    assert ended.status["cairn"].startswith("connected")
    assert {f"mcp__cairn__{tool}" for tool in ("search", "upload", "vote", "patterns", "chat")} <= set(ended.tools)
    assert stored[0].startswith("Stored 1 snippet.")
    # the code as it is, not as a string in JSON
    assert f"```python\n{source}```" in found[0]
    assert not voted[1]
    assert refused[1]
    assert "No snippet" in refused[0]
    with Cairn(service.key, service.base_url) as client:
        matches = client.search(task, 100, 0.0).matches
    assert next(match for match in matches if match.code_block.name == name).thumbs_up == 1


# the service and the program between are those of the TypeScript client, whose tests have both of these each time
@at_night
def test_it_gives_a_task_to_an_agent_and_reads_resources(service: Service, tmp_path: Path) -> None:
    def reads(body: Body) -> Any:
        listed = re.search(r"cairn://workspaces/[^/]+/files", results(body)[-1][0])
        assert listed is not None
        return calls("ReadMcpResourceTool", server="cairn", uri=listed[0])

    turns: list[Any] = [
        calls("mcp__cairn__chat", user_query="say hello", user_id=uuid.uuid4().hex, org_id="acme", model="local"),
        reads,
        calls("ListMcpResourcesTool", server="cairn"),
        calls("ReadMcpResourceTool", server="cairn", uri="cairn://skill.md"),
    ]
    with model(*turns) as api:
        ended = anyio.run(session, api, tmp_path, {"cairn": over_http(service, service.key)})
        chat, files, listed, skill = (text for text, _ in results(api.requests[-1]))
    assert not ended.failed
    assert re.search(r"Saved as commit [0-9a-f]{40}\.", chat)
    assert "cairn://workspaces/" in files
    assert "cairn://skill.md" in listed
    assert "# Cairn, for agents" in skill


@at_night
def test_a_server_that_fails_is_reported_and_ends_no_session(service: Service, tmp_path: Path) -> None:
    servers = {
        "cairn": over_http(service, WRONG_KEY),
        "gone": {"type": "http", "url": "http://127.0.0.1:1/mcp"},
    }
    with model(calls("Write", file_path=str(tmp_path / "note.txt"), content="n"), DONE) as api:
        ended = anyio.run(partial(session, api, tmp_path, servers))
    assert ended.status["cairn"].startswith("failed")
    assert "401" in ended.status["cairn"]
    assert ended.status["gone"].startswith("failed")
    assert not any(tool.startswith("mcp__") for tool in ended.tools)
    assert not ended.failed
    assert (tmp_path / "note.txt").read_text() == "n"
