"""A program with an agent session: its output is what a user would see."""

import json
import os

import anyio
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage

from cairn_client.agent import CairnAgent


async def main() -> None:
    options = ClaudeAgentOptions(**json.loads(os.environ["TEST_OPTIONS"]))
    async with CairnAgent(options, os.environ.get("TEST_WORKSPACE")) as agent:
        for prompt in ("count the words of a text file", "and again"):
            await agent.query(prompt)
            async for message in agent.receive_response():
                assert not isinstance(message, ResultMessage) or not message.is_error


anyio.run(main, backend=os.environ["TEST_BACKEND"])
