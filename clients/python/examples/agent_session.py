"""Two sessions of an agent: what the first one writes is offered to the second one, whose vote comes back.

pip install claude-agent-sdk
CAIRN_API_KEY=… ANTHROPIC_API_KEY=… python examples/agent_session.py

The model is whatever speaks the Messages API at ANTHROPIC_BASE_URL. Each session works in a new folder under the
temporary one, or under the one that is given: python examples/agent_session.py FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anyio
from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, ResultMessage, TextBlock, ToolUseBlock

from cairn_client.agent import CairnAgent, SessionReport

PROMPTS = [
    "Write count_words.py: it prints how many words the text file has that it is called with.",
    "How many words does notes.txt have?",
]


async def session(prompt: str, folder: Path) -> bool:
    """One prompt to a fresh agent. Whether it succeeded."""
    (folder / "notes.txt").write_text("one two three\nfour five\n", "utf-8")
    options = ClaudeAgentOptions(
        cwd=folder,
        tools=["Read", "Write", "Bash"],
        allowed_tools=["Read", "Write", "Bash"],  # anything else would ask first
        permission_mode="acceptEdits",
        system_prompt="You write small Python programs, and run them with python3.",
        setting_sources=[],  # nothing of this machine's own settings
        max_turns=20,
    )
    print(f"> {prompt}")
    async with CairnAgent(options, on_report=told) as agent:
        await agent.query(prompt)
        async for message in agent.receive_response():
            if isinstance(message, AssistantMessage):
                for block in message.content:
                    if isinstance(block, ToolUseBlock):
                        print(f"  {block.name}")
                    elif isinstance(block, TextBlock):
                        print(f"  {block.text}")
            elif isinstance(message, ResultMessage) and message.is_error:
                print(f"failed: {message.result}", file=sys.stderr)
                return False
    return True


def told(report: SessionReport) -> None:
    """Says what Cairn made of a success."""
    print(f"  offered {len(report.offered)}, uploaded {report.uploaded}")
    for vote in report.votes:
        print(f"  voted {'up' if vote.succeeded else 'down'}")


async def main(place: Path) -> int:
    """Runs the sessions one after the other, and stops at the first that fails."""
    for number, prompt in enumerate(PROMPTS, 1):
        folder = place / f"session-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        if not await session(prompt, folder):
            return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(anyio.run(main, Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as place:
        sys.exit(anyio.run(main, Path(place).resolve()))
