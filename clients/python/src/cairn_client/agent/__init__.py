"""Agent sessions that start from proven code, over the agent SDK (`pip install claude-agent-sdk`).

The agent SDK is loaded with the first session, not with this module.
"""

from cairn_client.agent._client import CairnAgent, query
from cairn_client.agent._collect import LeftFile
from cairn_client.agent._functions import agent_function, function_tool, publish_functions
from cairn_client.agent._hooks import cairn_hooks
from cairn_client.agent._session import SessionReport
from cairn_client.agent._usage import OfferedFile, Vote

__all__ = [
    "CairnAgent",
    "LeftFile",
    "OfferedFile",
    "SessionReport",
    "Vote",
    "agent_function",
    "cairn_hooks",
    "function_tool",
    "publish_functions",
    "query",
]
