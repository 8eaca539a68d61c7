"""A session by its hooks: events as the agent SDK gives them, and a service of the test's."""

from __future__ import annotations

import json
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import anyio
import httpx2

from cairn_client import AsyncCairn, Cairn
from cairn_client.agent._hooks import HookOptions, Observer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cairn_client.agent import SessionReport

TASK = "add two numbers"
KIND = {"entrypoint": "add_numbers", "language": "python"}
VOTES = {"thumbs_up": 1, "thumbs_down": 0}
SOURCE = "def add_numbers(a: int, b: int) -> int:\n    total = a + b\n    return total\n"


def match(name: str, source: str = SOURCE, **more: Any) -> dict[str, Any]:
    block = {"id": f"id-{name}", "name": name, "description": "Adds.", "source": source, **KIND, **more}
    return {"code_block": block, "score": 0.9, "offered": True, "filename": name, **VOTES, **KIND, **more}


def refusal(status: int, **headers: str) -> httpx2.Response:
    return httpx2.Response(status, json={"error": "secret words", "code": f"e/{status}"}, headers=headers)


def later() -> None:
    """Waits until the clock is past what the file system's may be behind it: what was so far is before what follows."""
    begun = time.time()
    while time.time() - begun < 0.025:
        pass


class World:
    """A session by its hooks."""

    def __init__(
        self, folder: Path, kind: type[Cairn] | type[AsyncCairn], deliver: Any = "stop", **options: Any
    ) -> None:
        self.folder = folder
        self.matches = [match("add.py")]
        self.status = 200
        # seconds that a refusal by that status asks for
        self.again: int | None = None
        # answers to all but searches, before they are as usual
        self.replies: list[httpx2.Response | Exception] = []
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.reports: list[SessionReport] = []
        http: Any = (
            httpx2.AsyncClient(transport=httpx2.MockTransport(self.answer_soon))
            if kind is AsyncCairn
            else httpx2.Client(transport=httpx2.MockTransport(self.answer))
        )
        client = kind("cairn_live_secret", "http://cairn.test", http_client=http, max_retries=0)
        told = HookOptions(**{"env": {}, "on_report": self.reports.append, **options})
        self.observer = Observer(client, told, deliver)
        self.hooks = self.observer.callbacks()

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        name = request.url.path.rpartition("/")[2]
        self.sent.append((name, json.loads(request.content)))
        if self.status != 200:
            return refusal(self.status, **({} if self.again is None else {"retry-after": str(self.again)}))
        if self.replies and name != "search":
            reply = self.replies.pop(0)
            if isinstance(reply, Exception):
                raise reply
            return reply
        answers: Mapping[str, dict[str, Any]] = {
            "search": {"matches": self.matches, "total_found": len(self.matches), "cache_hit": True},
            "execution-result": {"success": True, "message": "stored", "code_blocks_stored": 1},
            "cache-usage": {"success": True, "vote_pending": False, "message": "voted"},
        }
        return httpx2.Response(200, json=answers[name])

    async def answer_soon(self, request: httpx2.Request) -> httpx2.Response:
        return self.answer(request)

    def on(self, event: str, **more: Any) -> dict[str, Any]:
        """What a hook answers."""
        given = {"hook_event_name": event, "session_id": "s1", "cwd": str(self.folder), **more}

        async def run() -> dict[str, Any]:
            return await self.hooks[event][1](given, None, {})

        return anyio.run(run)

    def prompt(self, text: str = TASK, **more: Any) -> str:
        """The context that is offered."""
        answer = self.on("UserPromptSubmit", prompt=text, **more)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def tool(
        self,
        name: str,
        failed: str | None = None,
        response: Any = None,
        event: Mapping[str, Any] = MappingProxyType({}),
        **given: Any,
    ) -> None:
        more = {"tool_name": name, "tool_input": given, **event}
        if failed is None:
            self.on("PostToolUse", **{"tool_response": response, **more})
        else:
            self.on("PostToolUseFailure", **{"error": failed, **more})

    def bash(self, command: str, failed: str | None = None, **event: Any) -> None:
        self.tool("Bash", failed, None, event, command=command)

    def put(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def write(self, name: str, content: str) -> None:
        self.tool("Write", file_path=str(self.put(name, content)))

    def stop(self, **event: Any) -> SessionReport:
        """What a turn's end led to."""
        self.on("Stop", **event)
        return self.reports[-1]

    def uploads(self) -> list[dict[str, Any]]:
        return [body for name, body in self.sent if name == "execution-result"]

    @property
    def session(self) -> Any:
        return self.observer._sessions["s1"]

    def names(self) -> list[str]:
        return [name for name, _ in self.sent]

    def cached(self, name: str = "add.py") -> str:
        """Where an offered file lies."""
        return str(self.session.cache.real / name)
