"""Agent sessions and functions for agents: the options and names of `clients/parity.json`."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
from typing import Any, get_args

import httpx2
import pytest

from cairn_client import Cairn, agent
from cairn_client.agent import CairnAgent, agent_function, cairn_hooks, function_tool, publish_functions, query
from tests.parity.table import names, needed, rows, title

pytestmark = needed


def defaults(function: Any, without: set[str]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters
    return {name: parameter.default for name, parameter in parameters.items() if name not in without}


def expected(key: str) -> dict[str, Any]:
    return {row["name"]: row["default"] for row in rows("agent", key)}


def test_names() -> None:
    assert set(agent.__all__) == names("agent", "names") | names("agent", "onlyNames", "python")


def test_options() -> None:
    only = names("agent", "onlySessionOptions", "python")
    assert defaults(CairnAgent, only) == expected("sessionOptions")
    assert defaults(query, {*only, "prompt"}) == expected("sessionOptions")
    assert defaults(cairn_hooks, {"client"}) == expected("hooksOptions")
    only = names("agent", "onlyFunctionOptions", "python")
    assert defaults(agent_function, only) == expected("functionOptions")


@pytest.mark.parametrize("record", rows("agent", "records"), ids=title)
def test_records(record: dict[str, Any]) -> None:
    fields = dataclasses.fields(getattr(agent, record["name"]))
    assert " ".join(field.name for field in fields) == record["fields"]


def test_why_files_are_left() -> None:
    from cairn_client.agent._collect import Reason

    assert set(get_args(Reason)) == set(rows("agent", "leftReasons"))


def test_a_function_is_published_and_told_of_as_in_typescript() -> None:
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(
            200, json={"success": True, "code_block_id": "i", "embedding_id": "i", "message": "stored"}
        )

    schema = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}

    @agent_function("Doubles.", name="double", input_schema=schema)
    def twice(n: float) -> float:
        return n * 2

    client = Cairn("k", "http://cairn.test", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))
    assert asyncio.run(publish_functions(client, [twice])) == ["double"]
    assert sent[0].url.path == "/api/store/code-block"
    body = json.loads(sent[0].content)
    assert (body["name"], body["description"], body["tags"]) == ("double", "Doubles.", ["function"])
    assert body["example_queries"] == ["Call double: Doubles."]
    tool = {field: body[field] for field in ("name", "description", "input_schema")}
    assert function_tool(twice) == tool
