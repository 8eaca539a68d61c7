"""A program with an agent session whose Cairn is dead: its output is what a user would see."""

import json
import os

import anyio
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage

from cairn_client.agent import CairnAgent


async def main() -> None:
    async with CairnAgent(ClaudeAgentOptions(**json.loads(os.environ["TEST_OPTIONS"]))) as agent:
        for prompt in ("write a.py", "and again"):
            await agent.query(prompt)
            async for message in agent.receive_response():
                assert not isinstance(message, ResultMessage) or not message.is_error


anyio.run(main)
