"""What this service does not do: it says so, and what to do instead."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import websockets

from methods.registry import shows

if TYPE_CHECKING:
    from collections.abc import Callable

    from here import Here


def says(here: Here, ask: Callable[[], Any], instead: str) -> None:
    with pytest.raises(here.library.APIError) as refused:
        ask()
    assert refused.value.status_code == 404
    assert instead in str(refused.value)


@shows("shared_code")
def shared_code(here: Here) -> None:
    says(here, lambda: here.client.shared_code(here.task, "sk-x"), "/api/snippets/public/search")


@shows("heartbeat")
def heartbeat(here: Here) -> None:
    says(here, lambda: here.client.heartbeat("agent-1", cpu_percent=1.5), "/api/retrieve/executions")


@shows("log", "get_log")
def log(here: Here) -> None:
    says(here, lambda: here.client.log({"rows": 7}, here.word, source="rows.py:3"), "/api/raw/search")
    says(here, lambda: here.client.get_log(here.word), "/api/raw/search")


@shows("tool", "execute", "execute_generated_code", "execute_with_sandbox_codegen")
def execute(here: Here) -> None:
    def add(a: int, b: int = 1) -> int:
        """Adds."""
        return a + b

    here.client.tool(add)
    for ask in (
        lambda: here.client.execute("add", user_code="print(add(1, 2))"),
        lambda: here.client.execute_generated_code("add", "print(add(1, 2))"),
        lambda: here.client.execute_with_sandbox_codegen("add", "sk-x", "use add"),
    ):
        with pytest.raises(websockets.InvalidStatus) as refused:
            ask()
        response = refused.value.response
        assert response.status_code == 404
        assert "/api/store/execution" in json.loads(response.body or b"{}")["message"]
