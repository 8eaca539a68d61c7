"""What asks for a chat, however its answer is to come."""

from __future__ import annotations

JsonBody = dict[str, str | int | bool]


def chat_body(query: str, user: str, org: str, model: str, max_turns: int, memory: bool) -> JsonBody:
    """The body of a chat; `memory` is in it where it is wanted, since older services know none."""
    body: JsonBody = {"user_query": query, "user_id": user, "org_id": org, "model": model, "max_turns": max_turns}
    return {**body, "memory": True} if memory else body
