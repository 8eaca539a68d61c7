"""Functions as tools: what is told of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from cairn_client.compat import (
    agent_accessible,
    set_tracking_client,
    to_anthropic_tool,
)


@dataclass
class Place:
    name: str
    north: float


@agent_accessible("Adds numbers.", name="adder")
def add(a: int, b: float = 0, *rest: int, place: Place | None = None, tags: list[str] | None = None, x=1) -> float:  # type: ignore[no-untyped-def]
    """Adds.

    Args:
        a: the first
            of them.
        b (float): the second.

    Returns:
        float: their sum.
    """
    return a + b


@agent_accessible()
def divide(a: float, b: float) -> float:
    """Divides."""
    return a / b


def plain() -> None: ...


def test_a_tool_is_described() -> None:
    tool = to_anthropic_tool(add)
    assert (tool["name"], tool["description"]) == ("adder", "Adds numbers.")
    schema = tool["input_schema"]
    properties = schema["properties"]
    assert properties["a"] == {"type": "integer", "description": "the first of them."}
    assert properties["b"] == {"type": "number", "description": "the second."}
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}}
    assert properties["place"]["properties"]["north"]["type"] == "number"
    assert properties["x"] == {"type": "string"}
    assert list(properties) == ["a", "b", "place", "tags", "x"]
    assert schema["required"] == ["a"]
    assert to_anthropic_tool(divide)["description"] == "Divides."
    for given in ({"type": "object"},):
        assert to_anthropic_tool(agent_accessible(input_schema=given)(plain))["input_schema"] == given
    with pytest.raises(ValueError, match="plain is not for agents"):
        to_anthropic_tool(plain)
    with pytest.raises(ValueError, match="not for agents"):
        set_tracking_client(plain, None)


def test_a_function_works_as_before() -> None:
    assert (add(1, b=2), add.__name__, add.__doc__ is not None) == (3, "add", True)
    with pytest.raises(ZeroDivisionError):
        divide(1, 0)
