"""The table has everything public of this library, and nothing else."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pydantic
import pytest

import cairn_client.types
from cairn_client import AsyncCairn, Cairn
from cairn_client._request import CallOptions
from cairn_client._settings import Overrides
from cairn_client.compat import AsyncRaySurfer, RaySurfer
from tests.parity.table import found, methods, names, needed, rows, table, title

if TYPE_CHECKING:
    from tests.service import Service

pytestmark = [needed, pytest.mark.parametrize("kind", [Cairn, AsyncCairn])]

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def public(target: object) -> set[str]:
    return {name for name in dir(target) if not name.startswith("_")}


def resources(client: object) -> set[str]:
    return {name for name in vars(client) if not name.startswith("_")}


def all_methods(client: object, parts: set[str]) -> set[str]:
    """Names of methods, those of resources too."""
    within = {f"{part}.{name}" for part in parts for name in public(getattr(client, part)) - {"with_raw_response"}}
    called = {part for part in parts if callable(getattr(client, part))}
    return (public(client) - parts) | called | within


def test_methods(kind: type[Cairn]) -> None:
    besides = {*rows("besides"), *names("only", "python")}
    client = kind("k")
    assert all_methods(client, resources(client)) == {title(method) for method in methods} | besides


def test_raw_responses(kind: type[Cairn]) -> None:
    client = kind("k")
    expected = {method["name"] for method in methods if method["gives"] not in ("pages", "stream")}
    assert all_methods(client.with_raw_response, resources(client)) == expected
    for part in {part for part in resources(client) if not callable(getattr(client, part))}:
        own = {name.removeprefix(f"{part}.") for name in expected if name.startswith(f"{part}.")}
        assert public(getattr(client, part).with_raw_response) == own


@pytest.mark.parametrize("method", methods, ids=title)
def test_parameters(kind: type[Cairn], method: dict[str, Any]) -> None:
    parameters = dict(inspect.signature(found(kind("k"), method["name"])).parameters)
    options = parameters.pop("options")
    assert options.kind is inspect.Parameter.VAR_KEYWORD
    assert options.annotation == "Unpack[CallOptions]"
    expected = {one["name"]: inspect.Parameter.empty for one in method["required"]}
    expected |= {one["name"]: one["default"] for one in method["optional"]}
    assert {name: parameter.default for name, parameter in parameters.items()} == expected
    # what is given by place there can be given so here
    for name in method["positional"]:
        assert parameters[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


@pytest.mark.parametrize("method", methods, ids=title)
def test_results(kind: type[Cairn], method: dict[str, Any]) -> None:
    returned = inspect.signature(found(kind("k"), method["name"])).return_annotation
    expected = {"text": "str", "bytes": "bytes", "pages": "Events"}
    assert returned.removeprefix("Async") == expected.get(method["gives"], method.get("result"))


def test_fields_of_results(kind: type[Cairn]) -> None:
    assert kind
    for row in rows("results"):
        model = getattr(cairn_client.types, row["name"])
        assert " ".join(model.model_fields) == row["fields"], row["name"]
    # what requests are made of, and what others stand on
    inputs = {"LogFile", "FileWritten"}
    models = {
        name
        for name in cairn_client.types.__all__
        if isinstance(one := getattr(cairn_client.types, name), type) and issubclass(one, pydantic.BaseModel)
    }
    assert models - inputs == names("results") - inputs


def test_options(kind: type[Cairn]) -> None:
    parameters = dict(inspect.signature(kind).parameters)
    expected = {row["name"]: row["default"] for row in rows("options")}
    assert set(parameters) == set(expected) | names("onlyOptions", "python")
    for name, default in expected.items():
        if name != "timeout":  # tested as it is sent
            assert parameters[name].default == default, name
    assert set(Overrides.__annotations__) | {"http_client"} == set(parameters)
    assert set(CallOptions.__annotations__) == names("callOptions") | names("onlyCallOptions", "python")


def test_defaults(kind: type[Cairn]) -> None:
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json={})

    assert kind
    client = Cairn("k", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))
    for call in (client.keys.list, lambda: client.chat("q", user="u", org="o")):
        with pytest.raises(cairn_client.APIError):
            call()
    plain, chat = sent
    defaults = table["defaults"]
    assert str(plain.url).startswith(defaults["baseUrl"] + "/")
    assert plain.extensions["timeout"]["read"] == defaults["timeoutSeconds"]
    assert chat.extensions["timeout"]["read"] == defaults["chatTimeoutSeconds"]


class Environment(dict[str, str]):
    """Variables, and which of them were asked for by name."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return default

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        raise KeyError(name)


def test_environment(kind: type[Cairn], monkeypatch: pytest.MonkeyPatch) -> None:
    environment = Environment()
    monkeypatch.setattr(os, "environ", environment)
    kind()
    assert {name for name in environment.asked if name.startswith("CAIRN_")} == names("environment")
    RaySurfer() if kind is Cairn else AsyncRaySurfer()
    known = names("environment") | set(rows("compatEnvironment"))
    assert {name for name in environment.asked if name.startswith(("CAIRN_", "RAYSURFER_"))} <= known


def test_the_readme_tells_of_each_method(kind: type[Cairn]) -> None:
    assert kind
    assert [method["name"] for method in methods if f"client.{method['name']}(" not in README] == []


def test_each_operation_is_reached(kind: type[Cairn], service: Service) -> None:
    assert kind
    paths = httpx2.get(f"{service.base_url}/openapi.json", trust_env=False).json()["paths"]
    operations = {
        one["operationId"]: f"{verb.upper()} {path}" for path, verbs in paths.items() for verb, one in verbs.items()
    }
    for method in methods:
        template = re.escape(operations[method["operation"]])
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", template).replace(r"\*", ".+")
        assert re.fullmatch(pattern, method["request"]), method["name"]
    unreached = {row["operation"]: row["reason"] for row in rows("unreached")}
    assert all(unreached.values())
    reached = {method["operation"] for method in methods}
    assert reached.isdisjoint(unreached)
    assert reached | set(unreached) == set(operations)
