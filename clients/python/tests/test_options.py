"""What a client is constructed with, what it sends, and what it says of it."""

from __future__ import annotations

import base64
import copy
import json
import pickle
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

import cairn_client
from cairn_client import (
    APIError,
    AuthenticationError,
    CacheUnavailableError,
    Cairn,
    FieldError,
    LogFile,
    RateLimitError,
    ServiceError,
    ValidationError,
)

if TYPE_CHECKING:
    from tests.kinds import Kind

KEY = "cairn_live_" + "k" * 43


class Recorder:
    def __init__(self, status: int = 200, **body: Any) -> None:
        self.status = status
        self.body = {"matches": [], "total_found": 0, "cache_hit": False, **body}
        self.last = httpx2.Request("GET", "http://none.test")

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.last = request
        return httpx2.Response(self.status, json=self.body)

    def sent(self) -> Any:
        return json.loads(self.last.content)


def test_options_become_headers(kind: Kind) -> None:
    recorder = Recorder()
    options: dict[str, Any] = {"organization_id": "acme", "workspace_id": "customer-1", "snips_desired": "client"}
    client = kind.mocked(recorder, **options, public_snips=True, agent_id="agent-1", api_key=KEY).client
    client.search("a")
    headers = recorder.last.headers
    assert {name: headers[name] for name in headers if name.startswith("x-") or name == "authorization"} == {
        "authorization": f"Bearer {KEY}",
        "x-cairn-org-id": "acme",
        "x-cairn-workspace-id": "customer-1",
        "x-cairn-snips-desired": "client",
        "x-cairn-public-snips": "true",
        "x-cairn-agent-id": "agent-1",
        "x-cairn-sdk-version": f"python/{cairn_client.__version__}",
    }
    client.search("a", workspace_id="customer-2", extra_headers={"X-CAIRN-Agent-Id": "agent-2", "X-Trace": "t"})
    headers = recorder.last.headers
    assert (headers["x-cairn-workspace-id"], headers["x-cairn-agent-id"], headers["x-trace"]) == (
        *("customer-2", "agent-2"),
        "t",
    )
    assert len(headers.get_list("x-cairn-agent-id")) == 1


def test_unset_is_left_out(kind: Kind) -> None:
    recorder = Recorder()
    kind.mocked(recorder, api_key=None).client.search("a")
    assert not [name for name in recorder.last.headers if name.startswith("x-") and name != "x-cairn-sdk-version"]
    assert "authorization" not in recorder.last.headers
    assert recorder.sent() == {"task": "a", "top_k": 5, "min_verdict_score": 0.3, "prefer_complete": False}


def test_with_options_copies(kind: Kind) -> None:
    recorder = Recorder()
    client = kind.mocked(recorder, agent_id="agent-1").client
    copied = client.with_options(agent_id="agent-2", api_key="other")
    copied.search("a")
    assert recorder.last.headers["x-cairn-agent-id"] == "agent-2"
    assert recorder.last.headers["authorization"] == "Bearer other"
    copied.close()
    client.search("a")
    assert recorder.last.headers["x-cairn-agent-id"] == "agent-1"
    client.with_options(agent_id=None).search("a")
    assert "x-cairn-agent-id" not in recorder.last.headers
    other = Recorder()
    client.with_options(http_client=kind.http(other)).search("b")
    assert other.sent()["task"] == "b"


def test_the_environment(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    client = kind.mocked(recorder, api_key=None, base_url=None).client
    client.search("a")
    assert str(recorder.last.url) == "http://127.0.0.1:8080/api/retrieve/search"
    monkeypatch.setenv("CAIRN_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("CAIRN_BASE_URL", "https://cairn.test/prefix//")
    kind.mocked(recorder, api_key=None, base_url=None).client.search("a")
    assert str(recorder.last.url) == "https://cairn.test/prefix/api/retrieve/search"
    assert recorder.last.headers["authorization"] == f"Bearer {KEY}"
    kind.mocked(recorder, api_key="given", base_url="http://given.test").client.search("a")
    assert recorder.last.url.host == "given.test"
    assert recorder.last.headers["authorization"] == "Bearer given"


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"base_url": "cairn.test"}, "base_url"),
        ({"base_url": "ftp://cairn.test"}, "base_url"),
        ({"base_url": "http://user:password@cairn.test"}, "base_url"),
        ({"base_url": "http://cairn.test:port"}, "base_url"),
        ({"base_url": "http://cairn.test/?a=b"}, "base_url"),
        ({"snips_desired": "everything"}, "snips_desired"),
        ({"workspace_id": "two\nlines"}, "workspace_id"),
        ({"agent_id": "half \ud800"}, "agent_id"),
        ({"api_key": "café"}, "api_key"),
        # each would be everybody's
        ({"organization_id": ""}, "organization_id"),
        ({"workspace_id": ""}, "workspace_id"),
        ({"agent_id": ""}, "agent_id"),
        ({"api_key": "cairn_live_\x00"}, "api_key"),
        ({"timeout": 0}, "timeout"),
        ({"max_retries": -1}, "max_retries"),
    ],
)
def test_wrong_options_are_refused(kind: Kind, options: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        kind.cairn(**options)
    assert refused.value.field == field
    assert "password" not in str(refused.value).replace("user or password", "")
    assert "cairn_live_" not in str(refused.value)


def test_bytes_of_logs_become_base64(kind: Kind) -> None:
    recorder = Recorder(success=True, code_blocks_stored=1, votes_queued=0, message="")
    client = kind.mocked(recorder).client
    client.upload_bulk_code_snips(
        ["a"],
        [{"path": "a.py", "content": "x"}],
        [
            {"path": "a.bin", "content": b"\x00\xff"},
            LogFile.of("b.bin", bytearray(b"b")),
            LogFile.of("c.log", "text", "text/plain"),
            {"path": "d.log", "content": "ZA==", "encoding": "base64"},
        ],
    )
    assert recorder.sent()["log_files"] == [
        {"path": "a.bin", "content": base64.b64encode(b"\x00\xff").decode(), "encoding": "base64"},
        {"path": "b.bin", "content": "Yg==", "encoding": "base64"},
        {"path": "c.log", "content": "text", "encoding": "utf-8", "content_type": "text/plain"},
        {"path": "d.log", "content": "ZA==", "encoding": "base64"},
    ]


@pytest.mark.parametrize(
    ("files", "field"),
    [
        ([{"path": "a.py"}], "files_written.0.content"),
        ([{"path": "a.py", "content": ""}, {"path": 1, "content": ""}], "files_written.1.path"),
        ([{"path": "a.py", "content": b"x"}], "files_written.0.content"),
    ],
)
def test_files_of_another_shape_are_refused(kind: Kind, files: Any, field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        kind.mocked(Recorder()).client.upload_bulk_code_snips(["a"], files)
    assert refused.value.field == field


def test_an_empty_workspace_is_not_the_clients_own(kind: Kind) -> None:
    recorder = Recorder()
    with pytest.raises(ValidationError, match="workspace_id is empty"):
        kind.mocked(recorder, workspace_id="customer-1").client.search("a", workspace_id="")


def test_paths_stay_in_the_workspace(kind: Kind) -> None:
    recorder = Recorder()
    workspaces = kind.mocked(recorder).client.workspaces
    workspaces.file("w/../1", "/lib/a b?#%.py")
    assert recorder.last.url.raw_path == b"/api/workspaces/w%2F..%2F1/files/lib/a%20b%3F%23%25.py"
    for path in ("../../keys", "a/../b", "", "/", "a//b", "./a"):
        with pytest.raises(ValidationError):
            workspaces.file("w", path)
    for workspace in ("", ".", ".."):
        with pytest.raises(ValidationError):
            workspaces.tree(workspace)


def test_what_json_can_not_say_is_refused(kind: Kind) -> None:
    client = kind.mocked(Recorder()).client
    for schema in ({"a": float("nan")}, {"a": object()}):
        with pytest.raises(ValidationError):
            client.search("a", input_schema=schema)


def test_unknown_fields_are_kept(kind: Kind) -> None:
    found = kind.mocked(Recorder(new_field=[1])).client.search("a")
    assert found.model_extra == {"new_field": [1]}


def test_one_answer_equals_another(kind: Kind) -> None:
    client = kind.mocked(Recorder()).client
    assert client.search("a") == client.search("a")
    assert client.search("a") != kind.mocked(Recorder(total_found=1)).client.search("a")


ERRORS: list[ServiceError] = [
    ServiceError("m", status_code=418, code="c", request_id="r"),
    APIError("m", 404, code="not_found/x", request_id="r"),
    AuthenticationError("m", status_code=401),
    CacheUnavailableError("m", retry_after=3),
    RateLimitError("m", 7, request_id="r"),
    ValidationError("m", "f", errors=(FieldError("f", "x"),)),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling(error: ServiceError) -> None:
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(same) is type(error)
        assert (vars(same), str(same)) == (vars(error), str(error))


def test_the_tree_of_errors_is_documented() -> None:
    from cairn_client import errors

    for error in ERRORS:
        assert type(error).__name__ in str(errors.__doc__)
        assert type(error) is ServiceError or type(error).__bases__ == (ServiceError,)


def test_your_own_connections_stay_open(kind: Kind) -> None:
    http = kind.http(Recorder())
    client = kind.cairn(http_client=http)
    with client as entered:
        entered.search("a")
    assert not http.is_closed
    own = Cairn("k")
    with own:
        pass
    with pytest.raises(RuntimeError, match="This client is closed"):
        own.search("a")
