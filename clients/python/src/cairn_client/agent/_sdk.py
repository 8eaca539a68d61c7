"""The agent SDK, which is an extra: loaded with the first session, since that takes most of a second."""

from __future__ import annotations


def require_sdk() -> None:
    """Loads it, or says how to get it."""
    try:
        import claude_agent_sdk  # noqa: F401
    except ImportError as cause:
        message = "The agent SDK can't be loaded. Install it: pip install claude-agent-sdk"
        raise ImportError(message, name=cause.name, path=cause.path) from cause
