"""Both libraries have the same methods, parameters, defaults, options and errors: those of `clients/parity.json`."""

import inspect
import json
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

import httpx2
import pytest

import cairn_client
from cairn_client import Cairn

_path = Path(__file__).parents[2] / "parity.json"
pytestmark = pytest.mark.skipif(not _path.exists(), reason="only in the repository of the service")
table: dict[str, Any] = json.loads(_path.read_text()) if _path.exists() else {}
methods: list[dict[str, Any]] = table.get("methods", [])
options: list[dict[str, Any]] = table.get("options", [])
errors: list[dict[str, Any]] = table.get("errors", [])
failures: list[dict[str, Any]] = table.get("failures", [])


def recording(status: int = 200, body: object = None, **more: Any) -> tuple[Cairn, list[httpx2.Request]]:
    """A client whose requests go nowhere, and these."""
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(status, json=body or {})

    given = {"api_key": "k", "max_retries": 0, **more}
    return Cairn(http_client=httpx2.Client(transport=httpx2.MockTransport(answer)), **given), sent


def called(client: Cairn, method: dict[str, Any], parameters: list[dict[str, Any]]) -> None:
    """Calls a method by names; what it makes of the empty answer does not matter."""
    function = reduce(getattr, method["python"].split("."), client)
    with suppress(cairn_client.ServiceError):
        function(**{parameter["python"]: parameter["value"] for parameter in parameters})  # type: ignore[operator]


def found(request: httpx2.Request, method: dict[str, Any]) -> dict[str, Any]:
    if method["sent"] == "query":
        return dict(request.url.params)
    content: dict[str, Any] = json.loads(request.content)
    return content


def on_wire(method: dict[str, Any], parameters: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        one["wire"]: str(one["value"]) if method["sent"] == "query" else one["value"]
        for one in parameters
        if one["wire"] is not None
    }


@pytest.mark.parametrize("method", methods, ids=lambda method: method["python"])
def test_every_parameter(method: dict[str, Any]) -> None:
    client, sent = recording()
    given = [*method["required"], *method["optional"]]
    called(client, method, given)
    assert f"{sent[0].method} {sent[0].url.path}" == method["request"]
    content = found(sent[0], method)
    for name, value in on_wire(method, given).items():
        assert content[name] == value


@pytest.mark.parametrize("method", methods, ids=lambda method: method["python"])
def test_every_default(method: dict[str, Any]) -> None:
    client, sent = recording()
    called(client, method, method["required"])
    content = found(sent[0], method)
    signature = inspect.signature(reduce(getattr, method["python"].split("."), client))  # type: ignore[arg-type]
    for one in method["optional"]:
        assert signature.parameters[one["python"]].default == one["default"]
        # what is not sent is the service's default
        assert content.get(one["wire"], one["default"]) == one["default"]
    for one in method["required"]:
        assert signature.parameters[one["python"]].default is inspect.Parameter.empty


@pytest.mark.parametrize("option", options, ids=lambda option: option["python"])
def test_option(option: dict[str, Any]) -> None:
    client, sent = recording(**{option["python"]: option["value"]})
    with suppress(cairn_client.ServiceError):
        client.keys.list()
    assert sent[0].headers[option["header"]] == option["sent"]


def test_default_address() -> None:
    client, sent = recording()
    with suppress(cairn_client.ServiceError):
        client.keys.list()
    assert f"{sent[0].url.scheme}://{sent[0].url.netloc.decode()}" == table["defaults"]["baseUrl"]


@pytest.mark.parametrize("error", errors, ids=lambda error: error["name"])
def test_error(error: dict[str, Any]) -> None:
    kind = getattr(cairn_client, error["name"])
    parent = Exception if error["extends"] is None else getattr(cairn_client, error["extends"])
    assert kind.__base__ is parent


@pytest.mark.parametrize("failure", failures, ids=lambda failure: failure["code"])
def test_failure(failure: dict[str, Any]) -> None:
    code = failure["code"]
    body = {"code": code, "message": "m", "detail": "m", "error": code, "field": "f", "errors": [], "request_id": "r"}
    client, _ = recording(failure["status"], body)
    with pytest.raises(cairn_client.ServiceError) as caught:
        client.keys.list()
    assert type(caught.value).__name__ == failure["error"]
    properties = next(error["properties"] for error in errors if error["name"] == failure["error"])
    for name in properties:
        assert hasattr(caught.value, name)
