"""Chats as they go on, on the real service; what breaks off, on answers of the test's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import APIError, AuthenticationError, CacheUnavailableError
from cairn_client.types import RunAnswered, RunRemembered, RunRequested, RunText, RunTools, RunTurn
from tests.answering import Answers
from tests.cutting import cutting
from tests.snippets import stored, unique

if TYPE_CHECKING:
    from cairn_client import Cairn
    from tests.kinds import Kind
    from tests.service import Service

# httpx2 leaves a generator of its own behind when a stream is not taken to its end, which trio reports
pytestmark = pytest.mark.filterwarnings("ignore:.*PoolByteStream:pytest.PytestUnraisableExceptionWarning")


def kinds(events: list[Any]) -> list[str]:
    return [event.type for event in events]


WHOLE = ["requested", "started", "turn", "tools", "turn", "tools", "turn", "answer"]


def test_a_chat_as_it_goes_on(client: Cairn) -> None:
    word, user = unique(), unique()
    stored(client, word)
    with client.chat.stream(f"read a {word} file", user=user, org="acme", model="local") as stream:
        events = list(stream)
    assert kinds(events) == WHOLE
    requested, _, turn, tools, _, wrote, *_, answered = events
    assert isinstance(requested, RunRequested)
    assert isinstance(turn, RunTurn)
    assert isinstance(tools, RunTools)
    assert isinstance(wrote, RunTools)
    assert isinstance(answered, RunAnswered)
    assert [call.name for call in turn.tool_calls] == ["SearchSnippets"]
    assert turn.tool_calls[0].id == tools.results[0].tool_call_id
    assert tools.changed_files == []
    assert wrote.changed_files is not None
    assert [(file.path, file.status) for file in wrote.changed_files] == [(f"{word}.py", "created")]
    assert answered.run == client.runs.get(requested.run_id)
    assert answered.run.answer is not None
    assert answered.run.answer.workspace_files == [f"{word}.py"]
    # what is over is told from any place
    assert kinds(list(client.runs.stream(requested.run_id))) == WHOLE
    assert kinds(list(client.runs.stream(requested.run_id, after=tools.id))) == WHOLE[4:]


def test_a_chat_with_memory_tells_how_it_is_remembered(client: Cairn) -> None:
    word, user = unique(), unique()
    stored(client, word)
    with client.chat.stream(f"read a {word} file", user=user, org="acme", model="local", memory=True) as stream:
        events = list(stream)
    assert kinds(events) == [*WHOLE[:-1], "remembered", "answer"]
    requested, *_, remembered, answered = events
    assert isinstance(requested, RunRequested)
    assert requested.memory
    assert isinstance(remembered, RunRemembered)
    # without a language model there is no account but a line
    assert (remembered.how, remembered.path, remembered.usage.input_tokens) == ("listed", ".cairn/memory.md", 0)
    assert isinstance(answered, RunAnswered)
    assert answered.run.memory == "listed"
    assert client.runs.get(requested.run_id).memory == "listed"
    account = client.workspaces.file(requested.workspace_id, remembered.path).decode()
    assert account.endswith(f": read a {word} file (done)\n")
    answer = client.chat(f"read a {word} file", user=user, org="acme", model="local")
    assert client.runs.get(answer.session_id).memory is None


@pytest.mark.parametrize("how", ["before", "within"])
def test_a_cut_stream_goes_on_behind_the_last_event(kind: Kind, service: Service, client: Cairn, how: Any) -> None:
    word, user = unique(), unique()
    stored(client, word)
    with cutting(service.port, 2, how) as address:
        cut = kind.cairn(service.key, address, max_retries=2)
        with cut.chat.stream(f"read a {word} file", user=user, org="acme", model="local") as stream:
            events = list(stream)
    assert kinds(events) == WHOLE
    requested = events[0]
    assert isinstance(requested, RunRequested)
    assert len(client.runs.list(requested.workspace_id).runs) == 1


def message(event: str, data: dict[str, Any], id: int | None = None) -> str:
    text = f"event: {event}\ndata: {json.dumps(data)}\n\n"
    return text if id is None else f"id: {id}\n{text}"


def sse(*messages: str) -> httpx2.Response:
    content = "".join(messages).encode()
    return httpx2.Response(200, content=content, headers={"content-type": "text/event-stream; charset=utf-8"})


REQUESTED = {"run_id": "r", "workspace_id": "w", "model": "m", "max_turns": 8, "requested_at": "2026-01-01T00:00:00Z"}


def test_asked_for_again_until_its_run_is_known_then_looked_at(kind: Kind) -> None:
    answers = Answers(
        sse("retry: 1000\n\n"),
        sse(message("requested", REQUESTED, 0), message("text", {"turn": 1, "offset": 0, "text": "😀 "})),
        sse(
            message("text", {"turn": 1, "offset": 0, "text": "😀 two "}),
            message("newer", {"odd": True}, 4),
            message("end", {"reason": "stopping", "message": "stopping"}),
        ),
        sse(
            message("text", {"turn": 1, "offset": 0, "text": "Other"}),
            message("end", {"reason": "erased", "message": "gone"}),
        ),
        httpx2.Response(404, json={"error": {"code": "not_found/run", "message": "none"}}),
    )
    events: list[Any] = []
    with kind.mocked(answers, max_retries=2).client.chat.stream("q", user="u", org="o") as stream:
        events += [next(stream) for _ in range(4)]
        with pytest.raises(APIError) as error:
            next(stream)
    assert error.value.status_code == 404
    first, second, *rest = answers.requests
    assert (first.method, first.url.path) == ("POST", "/api/agent-chat")
    assert (second.method, second.content, second.headers["idempotency-key"]) == (
        "POST",
        first.content,
        first.headers["idempotency-key"],
    )
    assert [(one.method, one.url.path, one.headers["last-event-id"]) for one in rest] == [
        ("GET", "/api/runs/r", last) for last in ("0", "4", "4")
    ]
    assert first.headers["accept"] == "text/event-stream"
    assert [(one.offset, one.text) for one in events if isinstance(one, RunText)] == [
        (0, "😀 "),
        (3, "two "),
        (0, "Other"),
    ]


def test_fails_as_calls_do(kind: Kind, service: Service, client: Cairn) -> None:
    with client.runs.stream("3e3a3f0e-0000-4000-8000-000000000000") as stream, pytest.raises(APIError) as missing:
        next(stream)
    assert missing.value.code == "not_found/run"
    without_key = kind.cairn(None, service.base_url).chat
    with without_key.stream("q", user="u", org="o") as stream, pytest.raises(AuthenticationError):
        next(stream)
    end = message("end", {"reason": "revoked", "message": "The API key was revoked."})
    with kind.mocked(Answers(sse(end))).client.runs.stream("r") as stream, pytest.raises(AuthenticationError):
        next(stream)
    for answer in (
        httpx2.Response(200, json={}),
        sse(message("turn", {"turn": 1}, 1)),
        sse("event: turn\ndata: 1\n\n"),
    ):
        with kind.mocked(Answers(answer)).client.runs.stream("r") as stream, pytest.raises(APIError):
            next(stream)
    silent = kind.mocked(Answers(sse(), sse()), max_retries=1).client.runs
    with silent.stream("r") as stream, pytest.raises(CacheUnavailableError):
        next(stream)
