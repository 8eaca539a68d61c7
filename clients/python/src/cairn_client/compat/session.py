"""The existing clients' sessions of the agent SDK, under their names, with what `cairn_client.agent` does.

Needs the agent SDK (`pip install claude-agent-sdk`). It and `cairn_client.agent` are loaded with the first session.
"""

from __future__ import annotations

import os
import uuid
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict

from cairn_client._conversation import SAID_BEFORE
from cairn_client.errors import ValidationError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from types import TracebackType

    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Message

    from cairn_client import AsyncCairn
    from cairn_client.agent import CairnAgent, SessionReport

__all__ = ["Agent", "MessageParam", "RaysurferClient", "RaysurferOpencodeClient", "RunResult"]


def _variable(name: str) -> str | None:
    return os.environ.get(f"CAIRN_{name}") or os.environ.get(f"RAYSURFER_{name}") or None


class _Sessions:
    """What the names below have in common: one session, started with the first prompt."""

    def __init__(
        self,
        options: ClaudeAgentOptions | None,
        scope: dict[str, Any],
        debug: bool,
        on_report: Callable[[SessionReport], object] | None,
    ) -> None:
        self._options, self._scope, self._debug, self._on_report = options, scope, debug, on_report
        self._client: AsyncCairn | None = None
        self._session: CairnAgent | ClaudeSDKClient | None = None

    async def __aenter__(self) -> Self:
        if self._scope["api_key"] is None:
            warnings.warn("Neither CAIRN_API_KEY nor RAYSURFER_API_KEY is set: no proven code", stacklevel=2)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._session is not None:
                await self._session.disconnect()
        finally:
            if self._client is not None:
                await self._client.close()

    def _new_session(self) -> CairnAgent | ClaudeSDKClient:
        # not above: whoever runs no session loads none of it
        from cairn_client import AsyncCairn
        from cairn_client.agent import CairnAgent
        from cairn_client.agent._sdk import require_sdk

        require_sdk()
        if self._scope["api_key"] is None:
            from claude_agent_sdk import ClaudeSDKClient

            return ClaudeSDKClient(self._options)
        self._client = AsyncCairn(**self._scope)
        return CairnAgent(self._options, debug=self._debug, client=self._client, on_report=self._on_report)

    async def query(self, prompt: str) -> None:
        """Sends a prompt. Its answer comes from `response`."""
        if self._session is None:
            self._session = self._new_session()
            await self._session.connect()
        await self._session.query(prompt)

    async def response(self) -> AsyncIterator[Message]:
        """The messages of one turn, the result last. It comes once its files and votes were sent."""
        if self._session is None:
            raise RuntimeError("Must call query() before response()")
        async for message in self._session.receive_response():
            yield message


class RaysurferClient(_Sessions):
    """A client of agent sessions that start from proven code: `query`, then the messages of `response`.

    The key and the address are those of the environment: `CAIRN_API_KEY` and `CAIRN_BASE_URL`, else `RAYSURFER_API_KEY`
    and `RAYSURFER_BASE_URL`. Without a key it is the agent SDK's own client. All queries are turns of one session.

    Args:
        options: the agent SDK's. A sandbox is used when it asks for one, not by itself.
        workspace_id: a customer's own snippets, and no others.
        debug: logs what is offered and delivered, to stderr unless logging is set up; also with `RAYSURFER_DEBUG=true`.
        public_snips: offers public snippets of others too.
        agent_id: whose snippets these are.
        run_parse_sample_rate: taken as before, 0.0 to 1.0. Votes stand on what was used, so that each run has them.

    """

    def __init__(
        self,
        options: ClaudeAgentOptions | None = None,
        workspace_id: str | None = None,
        debug: bool = False,
        public_snips: bool = False,
        agent_id: str | None = None,
        run_parse_sample_rate: float | None = None,
    ) -> None:
        if run_parse_sample_rate is not None and not 0 <= run_parse_sample_rate <= 1:
            message = f"run_parse_sample_rate is {run_parse_sample_rate}; expected 0.0 to 1.0"
            raise ValidationError(message, "run_parse_sample_rate")
        scope = {
            "api_key": _variable("API_KEY"),
            "base_url": _variable("BASE_URL"),
            "workspace_id": workspace_id,
            "snips_desired": "client" if workspace_id else None,
            "public_snips": public_snips,
            "agent_id": agent_id,
        }
        super().__init__(options, scope, debug or os.environ.get("RAYSURFER_DEBUG", "").lower() == "true", None)


class RaysurferOpencodeClient(RaysurferClient):
    """The same under its other name."""


class MessageParam(TypedDict):
    """A message of a conversation so far."""

    role: Literal["user", "assistant"]
    content: str


@dataclass
class RunResult:
    """What `Agent.run` gives."""

    run_id: str
    query: str
    """The last message of the user: what was asked."""
    succeeded: bool
    messages: list[object] = field(default_factory=list)
    """Of the agent SDK, in order."""
    code_used: list[dict[str, str]] = field(default_factory=list)
    """`code_block_id`, `filename` and `description` of the snippets that were run, or read and used."""


class Agent:
    """An agent that runs a conversation to its end. The defaults of key and address are those of `RaysurferClient`."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        agent_id: str | None = None,
        allowed_tools: list[str] | None = None,
        system_prompt: str | None = None,
        model: str | None = None,
    ) -> None:
        self._key, self._base_url, self._agent_id = api_key, base_url, agent_id
        self._allowed_tools = allowed_tools or ["Read", "Write", "Bash"]
        self._system_prompt = system_prompt or "You are a helpful assistant."
        self._model = model

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left open between runs."""

    async def run(
        self, messages: Sequence[MessageParam], *, org_id: str | None = None, user_id: str | None = None
    ) -> RunResult:
        """Runs the last message of the user, with those before it as context. A run that fails has `succeeded` false.

        Args:
            messages: the conversation so far.
            org_id: the organization.
            user_id: the workspace, whose snippets are kept apart.

        """
        from cairn_client.agent._sdk import require_sdk

        require_sdk()
        from claude_agent_sdk import ClaudeAgentOptions, ResultMessage

        last = max((at for at, one in enumerate(messages) if one["role"] == "user"), default=-1)
        if last < 0 or not messages[last]["content"]:
            raise ValueError("Messages must contain at least one user message.")
        asked = messages[last]["content"]
        before = "\n\n".join(f"{one['role']}: {one['content']}" for one in messages[:last])
        options = ClaudeAgentOptions(allowed_tools=self._allowed_tools, system_prompt=self._system_prompt)
        if self._model:
            options.model = self._model
        result = RunResult(str(uuid.uuid4()), asked, False)
        scope = {
            "api_key": self._key or _variable("API_KEY"),
            "base_url": self._base_url or _variable("BASE_URL"),
            "organization_id": org_id,
            "workspace_id": user_id,
            "agent_id": self._agent_id,
        }
        async with _Sessions(options, scope, False, lambda report: result.code_used.extend(_used(report))) as session:
            await session.query(f"{asked}{SAID_BEFORE}{before}" if before else asked)
            async for message in session.response():
                result.messages.append(message)
                if isinstance(message, ResultMessage):
                    result.succeeded = message.subtype == "success" and not message.is_error
        return result


def _used(report: SessionReport) -> list[dict[str, str]]:
    voted = {vote.code_block_id for vote in report.votes}
    return [
        {"code_block_id": one.code_block_id, "filename": one.filename, "description": one.description}
        for one in report.offered
        if one.code_block_id in voted
    ]
