"""A session of the real agent SDK: a stand-in of the model, the real service, and a folder to work in."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import AsyncCairn, Cairn
from cairn_client.agent import CairnAgent, SessionReport
from tests.agent.stand_in import KEY, Model

sdk = pytest.importorskip("claude_agent_sdk", reason="the agent SDK is not installed (pip install claude-agent-sdk)")

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from claude_agent_sdk import Message

    from cairn_client.types import SearchMatch
    from tests.service import Service


TASK = "count the words of a text file"


SOURCE = '''import sys


def count_words(path: str) -> int:
    """Counts the words of a text file."""
    with open(path, encoding="utf-8") as lines:
        return sum(len(line.split()) for line in lines)


print(count_words(sys.argv[1]))
'''


SEARCH, UPLOAD, VOTE = "/api/retrieve/search", "/api/store/execution-result", "/api/store/cache-usage"


@dataclass
class World:
    """A customer's own snippets, a folder to work in, and what was asked of the service."""

    service: Service
    folder: Path
    home: Path
    backend: str = "asyncio"
    workspace: str = field(default_factory=lambda: f"agent-{uuid.uuid4()}")
    sent: list[str] = field(default_factory=list)
    reports: list[SessionReport] = field(default_factory=list)

    def client(self, http: httpx2.AsyncBaseTransport | None = None) -> AsyncCairn:
        async def note(request: httpx2.Request) -> None:
            self.sent.append(request.url.path)

        http_client = httpx2.AsyncClient(transport=http, event_hooks={"request": [note]}, trust_env=False)
        return AsyncCairn(
            self.service.key,
            self.service.base_url,
            workspace_id=self.workspace,
            snips_desired="client",
            http_client=http_client,
        )

    def options(self, api: Model, **more: Any) -> Any:
        return sdk.ClaudeAgentOptions(**{**session_options(api, self.folder, self.home), **more})

    async def run(self, api: Model, *prompts: str, http: httpx2.AsyncBaseTransport | None = None, **more: Any) -> bool:
        """Whether the last turn was a success."""
        own = {name: more.pop(name) for name in ("cache_dir", "logger") if name in more}
        client = self.client(http)
        async with CairnAgent(self.options(api, **more), client=client, on_report=self.reports.append, **own) as agent:
            for prompt in prompts or (TASK,):
                await agent.query(prompt)
                messages = [message async for message in agent.receive_response()]
        await client._transport.http.aclose()
        return succeeded(messages)

    def ask(self, work: Callable[[Cairn], Any]) -> Any:
        with Cairn(
            self.service.key, self.service.base_url, workspace_id=self.workspace, snips_desired="client"
        ) as client:
            return work(client)

    def store(self, name: str = "count_words.py") -> str:
        self.ask(lambda client: client.upload(TASK, {"path": name, "content": SOURCE}, True))
        return self.stored().code_block.id

    def stored(self) -> SearchMatch:
        matches: list[SearchMatch] = self.ask(lambda client: client.search(TASK, 20, 0.0).matches)
        return next(match for match in matches if match.code_block.source == SOURCE)


def session_options(api: Model, folder: Path, home: Path) -> dict[str, Any]:
    tools = ["Read", "Write", "Bash"]
    return {
        "cwd": str(folder),
        "setting_sources": [],
        "permission_mode": "acceptEdits",
        "tools": tools,
        "allowed_tools": tools,
        "env": {
            "HOME": str(home),
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        },
    }


def succeeded(messages: list[Message]) -> bool:
    last = messages[-1]
    assert isinstance(last, sdk.ResultMessage)
    return not last.is_error and last.subtype == "success"


async def drained(messages: AsyncIterator[Message]) -> list[Message]:
    """All messages. After a result that is an error the SDK's `query` raises, too."""
    found: list[Message] = []
    try:
        async for message in messages:
            found.append(message)
    except sdk.ProcessError:
        assert isinstance(found[-1], sdk.ResultMessage)
    return found
