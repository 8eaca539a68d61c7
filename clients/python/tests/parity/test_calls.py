"""What calls send: those of `clients/parity.json`."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import reduce
from typing import Any

import httpx2
import pytest

import cairn_client
from cairn_client import Cairn
from tests.parity.table import found, given, methods, needed, rows, title

pytestmark = needed


def recording(**options: Any) -> tuple[Cairn, list[httpx2.Request]]:
    """A client whose requests go nowhere, and these."""
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json={})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return Cairn(http_client=http, **{"api_key": "k", "max_retries": 0, **options}), sent


def called(client: Cairn, method: dict[str, Any], parameters: list[dict[str, Any]], **options: Any) -> None:
    """Calls a method by names; what it makes of the empty answer does not matter."""
    with suppress(cairn_client.ServiceError):
        answer = found(client, method["name"])(**{one["name"]: given(one) for one in parameters}, **options)
        if method["gives"] in ("pages", "stream"):
            next(iter(answer))


def content(request: httpx2.Request, method: dict[str, Any]) -> Any:
    return dict(request.url.params) if method["sent"] == "query" else json.loads(request.content)


def at(content: Any, path: str) -> Any:
    return reduce(lambda one, name: None if one is None else one.get(name), path.split("."), content)


def meant(come: Any, parameter: dict[str, Any]) -> Any:
    """What the service understands: of what is not sent, its default."""
    return parameter.get("service", parameter.get("default")) if come is None else come


def arrived(request: httpx2.Request, method: dict[str, Any], parameter: dict[str, Any]) -> None:
    value, wire = parameter["value"], parameter.get("wire", parameter["name"])
    if "header" in parameter:
        assert request.headers[parameter["header"]] == value
    elif wire is not None:
        come = at(content(request, method), wire)
        if "model" in parameter:
            assert {name: come[name] for name in value} == value
        else:
            assert meant(come, parameter) == (str(value) if method["sent"] == "query" else value)


@pytest.mark.parametrize("method", methods, ids=title)
def test_every_parameter(method: dict[str, Any]) -> None:
    client, sent = recording()
    parameters = [*method["required"], *method["optional"]]
    called(client, method, parameters)
    assert f"{sent[0].method} {sent[0].url.raw_path.decode().partition('?')[0]}" == method["request"]
    for parameter in parameters:
        arrived(sent[0], method, parameter)


@pytest.mark.parametrize("method", methods, ids=title)
def test_every_default(method: dict[str, Any]) -> None:
    client, sent = recording()
    called(client, method, method["required"])
    for parameter in method["required"]:
        arrived(sent[0], method, parameter)
    for parameter in method["optional"]:
        wire = parameter.get("wire", parameter["name"])
        if wire is not None:
            assert meant(at(content(sent[0], method), wire), parameter) == parameter["default"]


@pytest.mark.parametrize("method", methods, ids=title)
def test_options_of_one_call(method: dict[str, Any]) -> None:
    client, sent = recording()
    called(client, method, method["required"], extra_headers={"x-call": "1"}, idempotency_key="i-1", timeout=50)
    assert sent[0].headers["x-call"] == "1"
    assert sent[0].extensions["timeout"]["read"] == 50
    if not method["request"].startswith("GET"):
        assert sent[0].headers["idempotency-key"] == "i-1"


@pytest.mark.parametrize("option", [option for option in rows("options") if "header" in option], ids=title)
def test_option(option: dict[str, Any]) -> None:
    client, sent = recording(**{option["name"]: option["value"]})
    with suppress(cairn_client.ServiceError):
        client.keys.list()
    assert sent[0].headers[option["header"]] == option["sent"]
